import type { Visitor } from '../../kernel/http/public-route.ts'

// Who loads a picture or follows a link? Pictures are loaded by proxies that hide their readers, and links are followed by programs
// that look for harm, often before anybody has seen the mail. Nobody can be sure, so each verdict comes with its reason.

export type VisitorKind = 'person' | 'privacy_proxy' | 'scanner' | 'unknown'

export interface Judgement {
  readonly kind: VisitorKind
  readonly reason: string
  /** Counts as something that a person did. */
  readonly is_counted: boolean
}

/** What is known about a visit besides the request itself. */
export interface Circumstances {
  readonly kind: 'open' | 'click'
  /** Null: nobody has written down yet that the mail has arrived. */
  readonly secondsSinceDelivery: number | null
  /** To how many different links of the mail the same recipient's copy led in the same moment. */
  readonly linksAtOnce: number
}

const AT_ONCE_SECONDS = 1

/** Programs of companies that look into other people's mail, of search engines and of chats that show a preview. */
const SCANNERS =
  /barracuda|proofpoint|mimecast|messagelabs|symantec|fireeye|trellix|forcepoint|websense|sophos|ironport|trend ?micro|fortinet|checkpoint|zscaler|paloalto|cloudmark|avanan|vade|safelinks|safe links|existence discovery|urlscan|virustotal|bitdefender|kaspersky|googlebot|bingbot|bingpreview|slurp|duckduckbot|baidu|yandex|facebookexternalhit|facebot|twitterbot|linkedinbot|slackbot|telegrambot|discordbot|whatsapp|skypeuripreview|embedly|\bbot\b|crawler|spider|headless|phantomjs|puppeteer|playwright|selenium|linkcheck|url ?check|scanner|preview/i

const LIBRARIES =
  /^(node|curl|wget|python|java|go-http|okhttp|axios|undici|got|ruby|php|perl|libwww|lwp|apache-http|guzzle|httpie|insomnia|postman|dart|rust|reqwest|winhttp|powershell)\b|python-requests|httpclient|aiohttp|scrapy|node-fetch/i

const MAIL_PROGRAMS =
  /outlook|microsoft office|ms-office|thunderbird|apple ?mail|airmail|spark|em client|postbox|lotus|yahoomobile|k-9|fairemail|bluemail|mailspring|superhuman|protonmail/i

/** They load pictures when somebody opens the mail, and hide who: the open is real. */
const PROXIES_ON_OPEN: readonly (readonly [RegExp, string])[] = [
  [/googleimageproxy|ggpht\.com/i, 'google_image_proxy'],
  [/yahoomailproxy|yahoocachesystem/i, 'yahoo_mail_proxy'],
]

/** Apple's Mail Privacy Protection says this and not a word more. It loads every picture of every mail, read or not. */
const APPLE_PRIVACY = /^mozilla\/5\.0$/i

export function judge(visitor: Visitor, circumstances: Circumstances): Judgement {
  const agent = visitor.headers['user-agent']?.trim() ?? ''
  const { kind, secondsSinceDelivery, linksAtOnce } = circumstances
  const isAtOnce = secondsSinceDelivery !== null && secondsSinceDelivery < AT_ONCE_SECONDS

  if (visitor.method === 'HEAD') return not('scanner', 'head_request')
  if (isAhead(visitor)) return not('scanner', 'prefetch')
  if (agent === '') return not('unknown', 'no_user_agent')
  for (const [proxy, reason] of PROXIES_ON_OPEN)
    if (proxy.test(agent)) return { kind: 'privacy_proxy', reason, is_counted: kind === 'open' && !isAtOnce }
  if (SCANNERS.test(agent)) return not('scanner', 'known_scanner')
  if (LIBRARIES.test(agent)) return not('scanner', 'http_library')
  if (linksAtOnce > 1) return not('scanner', 'several_links_at_once')
  if (APPLE_PRIVACY.test(agent)) return not('privacy_proxy', 'apple_mail_privacy')
  if (isAtOnce) return not('scanner', 'within_a_second_of_delivery')
  if (secondsSinceDelivery === null) return not('unknown', 'before_delivery')
  if (MAIL_PROGRAMS.test(agent)) return person('mail_program')
  if (!/^(mozilla|opera)\//i.test(agent)) return not('unknown', 'unknown_program')
  // Every browser that a person sits at says which languages it wants when it goes to a page; most that pretend do not.
  if (kind === 'click' && !visitor.headers['accept-language']) return not('unknown', 'no_language')
  return person('browser')
}

const person = (reason: string): Judgement => ({ kind: 'person', reason, is_counted: true })
const not = (kind: VisitorKind, reason: string): Judgement => ({ kind, reason, is_counted: false })

const AHEAD = /prefetch|prerender|preview/i

const isAhead = ({ headers }: Visitor) =>
  ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'].some((name) => AHEAD.test(String(headers[name] ?? '')))
