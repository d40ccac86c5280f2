-- Opens a text in Neovim, waits for findings, follows a definition and hovers; writes a report.
local text = os.getenv("VISA_TEXT") or arg[1]
local out = os.getenv("VISA_OUT") or arg[2]

vim.cmd.edit(text)
local client = vim.lsp.start_client({ name = "visa", cmd = { os.getenv("VISA"), "lsp" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
local report = { findings = {}, line = 0, hover = "" }
vim.wait(20000, function()
  report.findings = vim.diagnostic.get(0)
  return #report.findings > 0
end, 50)

local function ask(method, line, column)
  local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = column } }
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

local definition = ask("textDocument/definition", 3, 16)
if definition then
  report.line = definition.range.start.line + 1
end
local hover = ask("textDocument/hover", 3, 16)
if hover then
  report.hover = hover.contents.value
end
for _, finding in ipairs(report.findings) do
  finding.user_data = nil
end

local file = assert(io.open(out, "w"))
file:write(vim.json and vim.json.encode(report) or vim.fn.json_encode(report))
file:close()
vim.cmd("qall!")
