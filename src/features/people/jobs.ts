import type { Database } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { hours, job, minutes } from '../../kernel/jobs/job.ts'
import { insertLink, linkAddress } from './links.ts'
import { type SystemMailServices, sendSystemMail, systemMailBody } from './mail.ts'

interface LinkServices extends SystemMailServices {
  publicUrl(): string
}

interface Wanted {
  readonly email: string
  /** Set: the link proves afresh who is in this session. */
  readonly session?: string
}

/**
 * Mails a link to whoever has this address, if anybody does. A job, so that asking for one takes as long for an address that is known
 * as for one that is not. Run twice, it sends a second link: each is good once.
 */
export const mailLink = job<Wanted, LinkServices>({
  name: 'people.mail-link',
  retryAfterSeconds: [5, 30, minutes(2)],
  async run({ email, session }, services) {
    const { db } = services
    // The mail goes to the address as we know it, whatever spelling was typed in.
    const [user] = await db.query<{ email: string; team: string | null }>(sql`
      select u.email, (select m.team_id from memberships m where m.user_id = u.id order by m.created_at limit 1) as team
      from users u where lower(u.email) = lower(${email})`)
    if (!user) return
    await db.transaction(async (trx) => {
      const token = await insertLink(trx, { email: user.email, method: 'link', session: session ?? null })
      if (token === null) return
      const what = session ? 'verify' : 'sign-in'
      const link = linkAddress(services.publicUrl(), what, token)
      await sendSystemMail(services, { to: user.email, link, about: user.team, ...LETTERS[what](link) }, trx)
    })
  },
})

const FOOT = 'The link works once and expires in 15 minutes. If you did not request it, ignore this email.'

const LETTERS = {
  'sign-in': (link: string) => ({
    subject: 'Sign in to Postwren',
    ...systemMailBody({ lines: ['Use this link to sign in.'], act: 'Sign in', link, foot: FOOT }),
  }),
  verify: (link: string) => ({
    subject: 'Confirm your identity',
    ...systemMailBody({
      lines: ['Someone signed in as you is about to make a sensitive change in Postwren.'],
      act: 'Confirm',
      link,
      foot: `Open the link in the browser where you are signed in. ${FOOT}`,
    }),
  }),
}

/** Deletes what is over. Whoever runs it a second time finds less. */
export const sweepSignIns = job<object, { readonly db: Database }>({
  name: 'people.sweep',
  retryAfterSeconds: [minutes(10)],
  everySeconds: hours(1),
  async run(_payload, { db }) {
    const now = db.clock.now()
    await db.queryPooled(sql.write`delete from user_sessions where expires_at <= ${now}`)
    await db.queryPooled(sql.write`delete from sign_in_links where expires_at <= ${now}`)
    await db.queryPooled(sql.write`delete from spent_challenges where expires_at <= ${now}`)
  },
})
