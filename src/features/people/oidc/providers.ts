import { OutgoingHttp } from '../../../adapters/outgoing-http/outgoing-http.ts'
import type { OidcProvider } from '../../../platform/settings/oidc-setting.ts'
import { SettingError } from '../../../platform/settings/settings.ts'
import { ROLES, type Role } from '../roles.ts'
import { ProviderClient } from './client.ts'

/** The providers of the settings, each with what talks to it. */
export class OidcProviders {
  readonly #clients: ReadonlyMap<string, ProviderClient>

  constructor(providers: readonly OidcProvider[]) {
    for (const { id, role } of providers)
      if (!ROLES.includes(role as Role))
        throw new SettingError(`POSTWREN_OIDC: the role of ${id} must be one of ${ROLES.join(', ')}.`)
    // The operator names them, and many are in the operator's own network. Link-local addresses are refused all the same.
    const http = new OutgoingHttp({ allowPrivateAddresses: true })
    this.#clients = new Map(providers.map((provider) => [provider.id, new ProviderClient(provider, http)]))
  }

  find(id: string): ProviderClient | undefined {
    return this.#clients.get(id)
  }
}

/** What the page of the sign-in offers. */
export const offeredProviders = ({ OIDC }: { readonly OIDC: readonly OidcProvider[] }) =>
  OIDC.map(({ id, name }) => ({ id, name }))
