// The part of the authorization server's interface that this bridge uses; the package brings no types of its own.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Context {
    path: string;
    method: string;
    query: Record<string, string | string[] | undefined>;
    body: unknown;
    type: string;
    status: number;
    oidc: { result?: { consent?: { grantId?: string } } };
  }
  export interface ServedClient {
    clientId: string;
    clientName?: string;
    grantTypeAllowed(type: string): boolean;
  }
  export interface Interaction {
    uid: string;
    params: Record<string, unknown>;
    returnTo: string;
  }
  export interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    rejectOIDCScope(scope: string): void;
    rejectResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }
  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    use(middleware: (ctx: Context, next: () => Promise<void>) => Promise<void>): this;
    on(event: string, listener: (...args: unknown[]) => void): this;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: unknown, options: unknown): Promise<void>;
    Grant: { new (of: { accountId: string; clientId: string }): Grant; find(id: string): Promise<Grant | undefined> };
    Client: { find(id: string): Promise<ServedClient | undefined> };
  }
  export const errors: { InvalidTarget: new (message?: string) => Error; InvalidRequest: new (message?: string) => Error };
}
