// What a client program keeps of its sign-ins between its runs, in the shape that both official SDKs ask of a program.

export interface Keeper {
  kept: Record<string, unknown>;
  /** The pages that the program wanted opened, in order. */
  pages: URL[];
  /** The SDKs type it differently; it is an `OAuthClientProvider` of each. */
  provider: object;
}

export function keeper(name: string, redirectUrl: string): Keeper {
  const kept: Record<string, unknown> = {};
  const pages: URL[] = [];
  const provider = {
    redirectUrl,
    clientMetadata: { client_name: name, redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    state: () => 'state-of-the-client',
    clientInformation: () => kept['client'],
    saveClientInformation: (client: unknown) => void (kept['client'] = client),
    tokens: () => kept['tokens'],
    saveTokens: (tokens: unknown) => void (kept['tokens'] = tokens),
    redirectToAuthorization: (url: URL) => void pages.push(url),
    saveCodeVerifier: (verifier: string) => void (kept['verifier'] = verifier),
    codeVerifier: () => kept['verifier'],
    saveDiscoveryState: (state: unknown) => void (kept['discovery'] = state),
    discoveryState: () => kept['discovery'],
    invalidateCredentials: (what: string) => {
      for (const key of what === 'all' ? Object.keys(kept) : [what]) delete kept[key];
    },
  };
  return { kept, pages, provider };
}
