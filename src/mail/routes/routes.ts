/** A way out for mail. Secrets are in it, so it is never logged as a whole. */
export type RouteDefinition =
  | { readonly kind: 'direct'; readonly name: string }
  | {
      readonly kind: 'relay'
      readonly name: string
      /** `smtp://user:password@host:587`, or `smtps://…`. */
      readonly url: string
      readonly connections: number | null
    }
  | {
      readonly kind: 'ses'
      readonly name: string
      readonly region: string
      readonly accessKeyId: string
      readonly secretAccessKey: string
      readonly sessionToken: string | null
      readonly configurationSet: string | null
      /** Null: Amazon's in that region. */
      readonly endpoint: string | null
      readonly connections: number | null
    }
  | {
      readonly kind: 'resend'
      readonly name: string
      /** Of the API: `/emails` comes behind it. */
      readonly url: string
      readonly key: string
      readonly connections: number | null
    }

export const ROUTE_KINDS = ['direct', 'relay', 'ses', 'resend'] as const
export type RouteKind = (typeof ROUTE_KINDS)[number]

export const STREAMS = ['single', 'broadcast'] as const
export type Stream = (typeof STREAMS)[number]

/** What mail a rule is about. All that it names must fit; one that names nothing is about all mail. */
export interface RouteConditions {
  readonly team?: string
  /** Of the sender. */
  readonly from_domain?: string
  /** Of the recipient. */
  readonly domain?: string
  readonly provider?: string
  readonly tag?: { readonly name: string; readonly value: string | null }
  readonly stream?: Stream
}

export interface RouteRule {
  readonly conditions: RouteConditions
  /** In order. A weight says how often it is the first one; those without are there for when others fail. */
  readonly use: readonly { readonly route: string; readonly weight: number }[]
}

/** What the file of POSTWREN_ROUTES says. */
export interface RouteTable {
  readonly routes: readonly RouteDefinition[]
  /** The first that fits counts. */
  readonly rules: readonly RouteRule[]
}

/** A mail for one recipient, as far as rules ask. */
export interface RoutedMail {
  readonly team: string
  readonly fromDomain: string
  readonly domain: string
  readonly tags: readonly { readonly name: string; readonly value: string }[]
  readonly stream: Stream
  /** Asked only where a rule names one. */
  provider(): string | null | Promise<string | null>
}

/** The ways for a mail, in the order in which they are tried. `draw`: from 0 to below 1, the same for each attempt. */
export function routesFor(
  { routes, rules }: RouteTable,
  mail: RoutedMail,
  draw: number,
): readonly string[] | Promise<readonly string[]> {
  for (const [index, { conditions, use }] of rules.entries()) {
    if (!fits(conditions, mail)) continue
    if (conditions.provider === undefined) return inOrder(use, draw)
    const provider = mail.provider()
    if (provider instanceof Promise)
      return provider.then((known) =>
        known === conditions.provider
          ? inOrder(use, draw)
          : routesFor({ routes, rules: rules.slice(index + 1) }, { ...mail, provider: () => known }, draw),
      )
    if (provider === conditions.provider) return inOrder(use, draw)
  }
  return routes.map(({ name }) => name)
}

function fits(conditions: RouteConditions, mail: RoutedMail): boolean {
  const { team, from_domain: fromDomain, domain, tag, stream } = conditions
  return (
    (team === undefined || team === mail.team) &&
    (fromDomain === undefined || fromDomain === mail.fromDomain) &&
    (domain === undefined || domain === mail.domain) &&
    (stream === undefined || stream === mail.stream) &&
    (tag === undefined ||
      mail.tags.some(({ name, value }) => name === tag.name && (tag.value === null || tag.value === value)))
  )
}

/** One comes first, as its weight says; the others follow in the order of the rule. */
function inOrder(use: RouteRule['use'], draw: number): readonly string[] {
  const names = use.map(({ route }) => route)
  const total = use.reduce((sum, { weight }) => sum + weight, 0)
  if (total === 0) return names
  let left = draw * total
  const first = use.find(({ weight }) => {
    left -= weight
    return left < 0
  })
  return first === undefined ? names : [first.route, ...names.filter((name) => name !== first.route)]
}
