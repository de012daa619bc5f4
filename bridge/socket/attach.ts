// Turns a folder and a pair of streams into a served stdio client, the same way whether they are a socket's or this process's own.
import type { Readable, Writable } from 'node:stream';
import type { Caller } from '../operation.ts';
import type { StdioWish } from './hello.ts';

export interface Attached {
  closed: Promise<void>;
  close(): void | Promise<void>;
}

export type Attach = (wish: StdioWish, streams: { input: Readable; output: Writable }) => Promise<Attached>;

export interface AttachParts {
  projects: { add(root: string): Promise<{ project: { projectId: string } }> };
  access: { stdioCaller(projectId: string, said: string | null): Caller };
  serve(stream: {
    input: Readable;
    output: Writable;
    tools: StdioWish['tools'];
    caller: (said: string | null) => Caller;
    defaultProjectId: string;
  }): Attached;
}

/** Registers the folder if it is not yet: whoever starts a program there has chosen it. */
export const createAttach =
  ({ projects, access, serve }: AttachParts): Attach =>
  async ({ root, tools }, streams) => {
    const { projectId } = (await projects.add(root)).project;
    return serve({ ...streams, tools, caller: (said) => access.stdioCaller(projectId, said), defaultProjectId: projectId });
  };
