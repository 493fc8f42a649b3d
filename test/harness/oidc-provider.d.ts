/** What the tests use of it: the package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Context {
    readonly oidc: { readonly client?: { clientId: string }; readonly session?: { accountId?: string } }
  }

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: readonly object[]
        claims: Record<string, readonly string[]>
        cookies: { keys: readonly string[] }
        features: Record<string, { enabled: boolean }>
        pkce: { required(): boolean }
        interactions: { url(context: Context, interaction: { uid: string }): string }
        findAccount(context: Context, sub: string): { accountId: string; claims(): object }
        loadExistingGrant(context: Context): Promise<Grant>
      },
    )
    readonly Grant: new (of: {
      clientId: string
      accountId: string
    }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
