-- Opens a text in Neovim, waits for findings, follows a definition, hovers, completes, corrects the
-- text and renames a variable; writes a report.
local text = os.getenv("VISA_TEXT")
local out = os.getenv("VISA_OUT")

vim.cmd("edit " .. text)
local client = vim.lsp.start_client({ name = "visa", cmd = { os.getenv("VISA"), "lsp" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
local report = { findings = {}, line = 0, hover = "" }
vim.wait(20000, function()
  report.findings = vim.diagnostic.get(0)
  return #report.findings > 0
end, 50)

local function ask(method, line, column, more)
  local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = column } }
  params = vim.tbl_extend("error", params, more or {})
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
local completion = ask("textDocument/completion", 3, 6)
report.completion = {}
for _, item in ipairs(completion and completion.items or {}) do
  report.completion[#report.completion + 1] = item.label
end
for _, finding in ipairs(report.findings) do
  finding.user_data = nil
end

-- The correction reaches the server, whose findings then change.
vim.api.nvim_buf_set_text(0, 3, 4, 3, 6, { "add" })
vim.wait(20000, function()
  local found = vim.diagnostic.get(0)
  return #found == 0 or found[1].code ~= "statement"
end, 50)
report.corrected = vim.tbl_map(function(found)
  return found.code
end, vim.diagnostic.get(0))
local edit = ask("textDocument/rename", 3, 16, { newName = "sum" })
if edit then
  vim.lsp.util.apply_workspace_edit(edit, vim.lsp.get_client_by_id(client).offset_encoding)
end
report.lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)

local file = assert(io.open(out, "w"))
file:write(vim.json and vim.json.encode(report) or vim.fn.json_encode(report))
file:close()
vim.cmd("qall!")
