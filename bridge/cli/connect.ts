// drawbridge connect: a client's set-up, printed, or merged into its own file without losing anything that is there.
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { clientEntries, clientSetup, textOf, type ClientKind, type SetupFacts } from '../capabilities/access/clients.ts';
import { liveRecord } from '../socket/record.ts';
import { findPlace } from './home.ts';
import { mergeEntry } from './merge.ts';
import { remark, say } from './output.ts';

export interface ConnectOptions {
  home?: string;
  root: string;
  write: boolean;
}

const DEFAULT_MCP_URL = 'http://127.0.0.1:21730/mcp';

export async function connectClient(client: ClientKind, options: ConnectOptions): Promise<void> {
  const { locations, launch } = findPlace(options.home);
  const facts: SetupFacts = {
    client,
    launch,
    root: resolve(options.root),
    mcpUrl: liveRecord(locations.home)?.mcpUrl ?? DEFAULT_MCP_URL,
    userHome: homedir(),
    platform: process.platform,
  };
  if (options.write) return write(facts);
  const { stdio, http } = clientSetup(facts);
  say(`# ${client} over stdio: in ${stdio.file}`);
  say(stdio.text.trimEnd());
  if (stdio.command !== null) say(`# or run:\n${stdio.command}`);
  say(`\n# ${client} over HTTP, where it signs in through your browser: in ${http.file}`);
  say(http.text.trimEnd());
  if (http.command !== null) say(`# or run:\n${http.command}`);
  if (http.signIn !== null) say(`# then, to sign in:\n${http.signIn}`);
  say('\n# A script without a browser takes a bearer from "drawbridge token" instead.');
}

/** The stdio set-up: it needs no token and no running bridge. A file that cannot be merged is left alone and the text printed. */
async function write(facts: SetupFacts): Promise<void> {
  const { stdio } = clientEntries(facts);
  const merged = await mergeEntry(stdio);
  if (merged.done === 'refused') {
    say(textOf(stdio).trimEnd());
    throw merged.failure;
  }
  remark(merged.done === 'unchanged' ? `${stdio.file} has this entry already.` : `Written into ${stdio.file}; start the client anew.`);
}
