import data from './caniemail/data.json' with { type: 'json' }
import { CLIENT_SHARES } from './client-shares.ts'

/** What mail clients do with a feature of HTML or CSS, as caniemail.com knows. */
export interface Support {
  readonly title: string
  readonly url: string
  /** Clients with the version that was tested: `Outlook, Windows 2007–2019`. */
  readonly unsupported: readonly string[]
  readonly partial: readonly string[]
  readonly supported: number
  /** Of the readers, in percent: those whose client does not support it. */
  readonly missingShare: number
  /** Each client that was tested. */
  readonly clients: readonly { readonly name: string; readonly version: string; readonly support: Supported }[]
}

export type Supported = 'yes' | 'partial' | 'no'

const SUPPORTED: Readonly<Record<string, Supported>> = { y: 'yes', a: 'partial', n: 'no' }

const features: Readonly<Record<string, readonly string[]>> = data.features
const known = new Map<string, Support>()

/** By its name in the data, like `css-display-grid`. */
export function supportOf(slug: string): Support {
  const before = known.get(slug)
  if (before) return before
  const [title, statuses] = features[slug]! as [string, string]
  const clients = data.clients.map((name, index) => {
    const [status, version] = [statuses[index * 3]!, Number.parseInt(statuses.slice(index * 3 + 1, index * 3 + 3), 36)]
    const tested = data.versions[version] ?? ''
    return { name, status, version: tested, shown: `${name} ${tested}`.trim() }
  })
  const shown = (status: string) => clients.filter((client) => client.status === status).map((client) => client.shown)
  const support = {
    title,
    url: `https://www.caniemail.com/features/${slug}/`,
    unsupported: shown('n'),
    partial: shown('a'),
    supported: shown('y').length,
    missingShare: shareOf(clients.filter(({ status }) => status === 'n').map(({ name }) => name)),
    clients: clients.flatMap(({ name, status, version }) =>
      status in SUPPORTED ? [{ name, version, support: SUPPORTED[status]! }] : [],
    ),
  }
  known.set(slug, support)
  return support
}

function shareOf(names: readonly string[]): number {
  const share = names.reduce((sum, name) => sum + (CLIENT_SHARES[name] ?? 0), 0)
  return Math.round(share * 10) / 10
}

export const FEATURES: readonly (readonly [slug: string, title: string])[] = Object.entries(features).map(
  ([slug, [title]]) => [slug, title!],
)

export const DATA_UPDATED_AT = data.updated
export const CLIENT_COUNT = data.clients.length
