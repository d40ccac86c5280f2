// make-manifest.js PACKAGE FOLDER: writes the two manifests of a .vsix file from a package.json.
"use strict";

const fs = require("fs");
const path = require("path");

const [, , source, folder] = process.argv;
const about = JSON.parse(fs.readFileSync(source, "utf8"));
const escaped = (text) =>
  String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

const property = (id, value) => `      <Property Id="${id}" Value="${escaped(value)}" />`;
const asset = (type, file) => `    <Asset Type="${type}" Path="extension/${file}" Addressable="true" />`;

const manifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escaped(about.name)}" Version="${escaped(about.version)}" Publisher="${escaped(about.publisher)}" />
    <DisplayName>${escaped(about.displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(about.description)}</Description>
    <Tags>${escaped(about.keywords.join(","))}</Tags>
    <Categories>${escaped(about.categories.join(","))}</Categories>
    <Properties>
${property("Microsoft.VisualStudio.Code.Engine", about.engines.vscode)}
${property("Microsoft.VisualStudio.Code.ExtensionKind", "workspace")}
${property("Microsoft.VisualStudio.Services.Links.Source", about.repository.url)}
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
${asset("Microsoft.VisualStudio.Code.Manifest", "package.json")}
${asset("Microsoft.VisualStudio.Services.Content.Details", "README.md")}
${asset("Microsoft.VisualStudio.Services.Content.License", "LICENSE.txt")}
  </Assets>
</PackageManifest>
`;

const types = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${[".json", ".js", ".md", ".txt", ".vsixmanifest", ".cjs", ".mjs", ".cmd", ".yml", ".sh"]
  .map((ending) => `  <Default Extension="${ending}" ContentType="application/octet-stream" />`)
  .join("\n")}
</Types>
`;

fs.writeFileSync(path.join(folder, "extension.vsixmanifest"), manifest);
fs.writeFileSync(path.join(folder, "[Content_Types].xml"), types);
