import { recordAudit } from '../../kernel/audit/record.ts'
import { sql } from '../../kernel/db/sql.ts'
import { servicesForTeam } from '../../kernel/db/team-services.ts'
import { DOWNLOAD_LINK_MS } from '../../kernel/http/download.ts'
import type { PublicAnswer, Visitor } from '../../kernel/http/public-route.ts'
import { publicRoute } from '../definitions.ts'
import { decideApprovals } from '../emails/delivery/approvals/decide.ts'
import { findHeaders, findNotice, findNoticed, type NoticedApproval } from '../emails/delivery/approvals/queries.ts'
import { findSentShown } from '../emails/index.ts'
import { attachmentsOf } from '../emails/reads.ts'
import { brandOf } from '../teams/index.ts'
import { type Decision, STATUS_OF, waitsOn } from './actions.ts'
import { findApprover, ownOf, type StillApprover } from './approvers.ts'
import { APPROVAL_PATH, queryOf, readApprovalLink } from './links.ts'
import { approvalPage, isSuspended, notValid, type ShownFile } from './page.ts'
import type { ApprovalsServices } from './services.ts'

/** A notice whose link somebody has, and what it is about. */
interface Opened {
  readonly services: ApprovalsServices
  readonly team: string
  readonly secret: string
  readonly approver: StillApprover
  readonly mail: readonly NoticedApproval[]
}

/** HEAD is answered like GET: whoever only looks whether a link works must hear that it does. */
const show = (method: 'GET' | 'HEAD') =>
  publicRoute<{ token: string }>({
    route: `${method} ${APPROVAL_PATH}/:token`,
    async run({ params, query, visitor, services }) {
      const opened = await open(services, { token: params.token, secret: query.approval, host: visitor.host })
      if (!opened) return notValid()
      return answer(opened, { decision: decisionOf(query.decision), shownId: String(query.email ?? '') })
    },
  })

export const approvalRoutes = [
  show('GET'),
  show('HEAD'),
  publicRoute<{ token: string }>({
    route: `POST ${APPROVAL_PATH}/:token`,
    async run({ params, query, form, visitor, services }) {
      const opened = await open(services, { token: params.token, secret: query.approval, host: visitor.host })
      if (!opened) return notValid()
      if (services.teamStates.suspensionOf(opened.team)) return isSuspended()
      const wanted = form.get('decision')
      // A form that says neither is none of ours.
      if (wanted !== 'approve' && wanted !== 'refuse') return answer(opened, { decision: 'approve', shownId: '' })
      const done = await decideByLink(opened, { decision: wanted, ids: form.getAll('email'), visitor })
      const mail = await findNoticed(
        opened.services.db,
        opened.team,
        opened.mail.map(({ id }) => id),
      )
      return answer({ ...opened, mail: ownOf(opened.approver, mail) }, { decision: wanted, shownId: '', done })
    },
  }),
]

const decisionOf = (text: unknown): Decision => (text === 'refuse' ? 'refuse' : 'approve')

/** Null: nobody signed the link, its time is over, or whoever was asked may not decide any more. */
async function open(
  services: ApprovalsServices,
  given: Parameters<typeof readApprovalLink>[1],
): Promise<Opened | null> {
  const link = readApprovalLink(services, given)
  if (!link) return null
  const { team } = link
  const own = await servicesForTeam(services, team)
  const notice = await findNotice(own.db, team, link)
  if (!notice) return null
  const all = await findNoticed(own.db, team, notice.emails)
  const policies = [...new Set(all.map(({ policyId }) => policyId))]
  const approver = await findApprover(own.db, team, { email: notice.approver, policies })
  const mail = approver ? ownOf(approver, all) : []
  const secret = String(given.secret)
  return approver && mail.length > 0 ? { services: own, team, secret, approver, mail } : null
}

interface Choice {
  readonly decision: Decision
  readonly ids: readonly string[]
  readonly visitor: Visitor
}

/** What was done, in words. Only about emails that the link is for. */
async function decideByLink(opened: Opened, { decision, ids, visitor }: Choice): Promise<string> {
  const { services, team, approver, mail } = opened
  const own = mail.map(({ id }) => id).filter((id) => ids.includes(id))
  if (own.length === 0) return 'Nothing was selected'
  const status = STATUS_OF[decision]
  const decided = await services.db.transaction(async (trx) => {
    const giveUpAfterSeconds = services.config.GIVE_UP_AFTER
    const all = await decideApprovals(trx, team, {
      ids: own,
      decision: status,
      by: approver.email,
      giveUpAfterSeconds,
    })
    const emails = all.filter(({ isNew }) => isNew).map(({ id }) => id)
    if (emails.length > 0)
      await recordAudit(trx, {
        team,
        actor: { kind: 'user', id: approver.userId, name: approver.email },
        action: 'approvals.decide',
        objectId: emails.length === 1 ? emails[0]! : null,
        details: { decision: status, emails, by: 'link' },
        ipAddress: visitor.ipAddress,
        userAgent: visitor.headers['user-agent'] ?? null,
      })
    return all
  })
  const done = decided.filter((one) => one.isNew && one.status === status).length
  const refused = decided.flatMap(({ refusal }) => refusal ?? [])
  const words = done > 0 ? [`${emailWords(done)} ${status}`] : []
  if (refused[0]) words.push(`${emailWords(refused.length)} beyond a limit: ${waitsOn(refused[0])}`)
  return words.length > 0 ? words.join('. ') : 'Already decided or expired'
}

const emailWords = (count: number) => (count === 1 ? '1 email' : `${count} emails`)

interface Showing {
  readonly decision: Decision
  /** Of one of them; otherwise the first that waits is shown. */
  readonly shownId: string
  readonly done?: string
}

async function answer({ services, team, secret, approver, mail }: Opened, showing: Showing): Promise<PublicAnswer> {
  const shown =
    mail.find(({ id }) => id === showing.shownId) ?? mail.find(({ status }) => status === 'waiting') ?? mail[0]!
  const [brand, content, headers, files] = await Promise.all([
    brandOf(services, team),
    findSentShown(services, team, shown.id),
    findHeaders(services.db, team, shown.id),
    filesOf(services, team, shown.id),
  ])
  return approvalPage({
    brand,
    approver: approver.email,
    query: queryOf(secret),
    decision: showing.decision,
    mail,
    shown,
    content: { html: content?.html ?? null, text: content?.text ?? null },
    replyTo: content?.reply_to ?? [],
    headers,
    files,
    ...(showing.done !== undefined && { done: showing.done }),
  })
}

/** With links that are good for an hour, as those of the API. */
async function filesOf(services: ApprovalsServices, team: string, email: string): Promise<ShownFile[]> {
  const { db, clock, links, publicUrl } = services
  const files = await db.query<{ id: string; name: string | null; size: string }>(sql`
    select a.id, left(a.filename, 255) as name, a.size
    from ${attachmentsOf({ team: sql`${team}::uuid`, id: sql`${email}::uuid` })} order by a.id`)
  if (files.length === 0) return []
  const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_LINK_MS)
  const token = links.sign('email-attachments', { team, email }, expiresAt, publicUrl())
  return files.map(({ id, name, size }) => ({
    name: name ?? 'attachment',
    size: Number(size),
    url: `${publicUrl()}/downloads/emails/${token}/${id}`,
  }))
}
