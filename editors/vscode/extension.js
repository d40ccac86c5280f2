// Client of the language server `visa lsp`.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

/** Starts the server of the settings. */
async function start() {
  const settings = vscode.workspace.getConfiguration("visa");
  const server = { command: settings.get("command"), args: ["lsp"], transport: TransportKind.stdio };
  const options = {
    documentSelector: [
      { language: "visaasm" },
      { language: "markdown", pattern: "**/spec/**/*.md" },
    ],
    initializationOptions: { platform: settings.get("platform") },
    synchronize: { configurationSection: "visa" },
  };
  client = new LanguageClient("visa", "vISA", server, options);
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `The language server did not start: ${error.message}. Install visakit, or set "visa.command" to its program.`,
    );
  }
}

/** Stops the server, if it runs. */
async function stop() {
  const running = client;
  client = undefined;
  if (running && running.isRunning()) {
    await running.stop();
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("visa.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("visa.command")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
