#!/usr/bin/env bash
# package.sh [OUTPUT]: writes the extension as a .vsix file.
#
# Needs node and npm. A package cache or an existing node_modules folder suffices without a network.
# A .vsix is a zip file with two manifests, which make-manifest.js writes.
set -euo pipefail
cd "$(dirname "$0")"
version=$(node -p 'require("./package.json").version')
output=$(realpath -m "${1:-visakit-$version.vsix}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/extension"
cp -r package.json extension.js language-configuration.json README.md syntaxes "$work/extension"
cp ../../LICENSE-MIT "$work/extension/LICENSE.txt"
if [ -d node_modules/vscode-languageclient ]; then
    cp -r node_modules "$work/extension"
else
    (cd "$work/extension" && npm install --omit=dev --ignore-scripts --prefer-offline --silent --no-package-lock)
fi
# The server needs no type declarations, source maps or tests.
find "$work/extension/node_modules" \( -name '*.d.ts' -o -name '*.map' -o -name test -o -name '*.md' \) -exec rm -rf {} +
node make-manifest.js "$work/extension/package.json" "$work"
rm -f "$output"
(cd "$work" && zip -q -r -X "$output" '[Content_Types].xml' extension.vsixmanifest extension)
echo "$output"
