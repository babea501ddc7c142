#!/bin/sh
# devs mcp against the protocol's own client: mcp_sdk.sh DEVS
#
# Only where DEVS_MCP_SDK names a folder with a node_modules that has @modelcontextprotocol/sdk
# (initialize), and perhaps @modelcontextprotocol/client (2026-07-28) and .../inspector.
devs=$1
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${DEVS_MCP_SDK:-}" ]; then
	echo "skipped: DEVS_MCP_SDK names no folder with the protocol's own client"
	exit 77
fi
if ! command -v node >/dev/null; then
	echo "skipped: node is not installed"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cp "$here/mcp_sdk.mjs" "$work/"
ln -s "$(cd "$DEVS_MCP_SDK" && pwd)/node_modules" "$work/node_modules"
mkdir -p "$work/project/.devs"
unset DEVS_DB
cd "$work/project" && node "$work/mcp_sdk.mjs" "$devs"
