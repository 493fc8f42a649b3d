import { checkHtml, checkLinks, scoreSpam } from '../../features/messages/checks/index.ts'
import type { supportOf } from '../../mail/checks/support.ts'
import { mailpitRoute } from './definitions.ts'
import { requireHead } from './message-routes.ts'

const SLUG = /\/features\/([\w-]+)\/$/

/** `Outlook, Windows` */
function clientOf(name: string) {
  const [family = name, platform = ''] = name.split(', ')
  return { Family: family, Platform: platform }
}

/** One feature that not all clients support. */
function warningOf(slug: string, { title, url, clients }: ReturnType<typeof supportOf>) {
  const percent = (wanted: string) => share(clients.filter(({ support }) => support === wanted).length, clients.length)
  return {
    Slug: slug,
    Title: title,
    Description: '',
    URL: url,
    Category: slug.split('-', 1)[0]!,
    Tags: [],
    Keywords: '',
    NotesByNumber: {},
    Results: clients.map(({ name, version, support }) => ({
      Name: `${name} ${version}`.trim(),
      ...clientOf(name),
      Version: version,
      Support: support,
      NoteNumber: '',
    })),
    Score: { Found: 1, Supported: percent('yes'), Partial: percent('partial'), Unsupported: percent('no') },
  }
}

const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100)

function platformsOf(warnings: readonly ReturnType<typeof warningOf>[]): Record<string, string[]> {
  const platforms = new Map<string, Set<string>>()
  for (const { Family, Platform } of warnings.flatMap(({ Results }) => Results))
    platforms.set(Platform, (platforms.get(Platform) ?? new Set()).add(Family))
  return Object.fromEntries([...platforms].map(([platform, families]) => [platform, [...families].sort()]))
}

export const checkRoutes = [
  mailpitRoute<{ id: string }>({
    id: 'message.html-check',
    route: 'GET /api/v1/message/:id/html-check',
    access: 'content',
    async run({ params, services, actor }) {
      const { id } = await requireHead(services, actor, params.id)
      const { tags, findings, support } = await checkHtml(services, actor, id)
      const slugs = findings.flatMap(({ url }) => SLUG.exec(url ?? '')?.[1] ?? [])
      // What mail clients support is a table that no start needs.
      const { supportOf } = await import('../../mail/checks/support.ts')
      const warnings = slugs.map((slug) => warningOf(slug, supportOf(slug)))
      const { supported = 100, partial = 0, unsupported = 0, features = 0 } = support ?? {}
      return {
        Total: {
          Tests: features,
          Nodes: tags,
          ...{ Supported: supported, Partial: partial, Unsupported: unsupported },
        },
        Platforms: platformsOf(warnings),
        Warnings: warnings,
      }
    },
  }),
  mailpitRoute<{ id: string }>({
    id: 'message.link-check',
    route: 'GET /api/v1/message/:id/link-check',
    access: 'content',
    async run({ params, services, actor }) {
      const { id } = await requireHead(services, actor, params.id)
      const links = (await checkLinks(services, actor, id)).map(({ href, probed }) => {
        const status = probed?.kind === 'answered' ? probed.status : 0
        const words = probed === null ? 'not checked in time' : 'reason' in probed ? probed.reason : ''
        return { URL: href, StatusCode: status, Status: words || (status < 400 ? 'OK' : 'Error') }
      })
      return { Errors: links.filter(({ StatusCode }) => StatusCode === 0 || StatusCode >= 400).length, Links: links }
    },
  }),
  mailpitRoute<{ id: string }>({
    id: 'message.sa-check',
    route: 'GET /api/v1/message/:id/sa-check',
    access: 'content',
    async run({ params, services, actor }) {
      const { id } = await requireHead(services, actor, params.id)
      const scored = await scoreSpam(services, actor, id)
      const words = services.spamFilter
        ? 'The spam filter did not return a score.'
        : 'No spam filter configured: set POSTWREN_SPAMD_URL.'
      if (!scored) return { Error: words, IsSpam: false, Score: 0, Rules: [] }
      const rules = scored.rules.map(({ name, score, description }) => ({
        ...{ Name: name, Score: score, Description: description },
      }))
      return { Error: '', IsSpam: scored.score >= scored.threshold, Score: scored.score, Rules: rules }
    },
  }),
]
