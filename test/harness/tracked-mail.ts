import { sql } from '../../src/kernel/db/sql.ts'
import { type ReadPart, readMime } from '../../src/mail/golden/mime-reader.ts'
import { addVerifiedDomain, emptyLedger, sendEmail, startAcme } from './emails.ts'
import { newId } from './ids.ts'
import { DELIVERED } from './transport.ts'

/** What a person's browser says of itself. */
export const BROWSER = {
  'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36',
  'accept-language': 'en-GB,en;q=0.9',
}

/** What a recipient has got. */
export interface TrackedMail {
  readonly to: readonly string[]
  readonly bytes: string
  readonly html: string
  readonly text: string
  /** The path of the picture, if there is one. */
  readonly pixel: string | null
  /** The hrefs in it, in order. */
  readonly links: readonly string[]
}

/** The app with a domain whose mail is tracked, and a network that takes everything. */
export async function startTracked(
  domainSettings: { open_tracking?: boolean; click_tracking?: boolean; tracking_subdomain?: string } = {},
) {
  const mails: TrackedMail[] = []
  const settings = { POSTWREN_DELIVERY: 'direct', POSTWREN_PUBLIC_URL: 'https://mail.acme.dev' }
  const { app, acme } = await startAcme(settings, {
    router: { resolve: async (name) => ({ kind: 'found', destination: { name, hosts: [] } }) },
    sender: {
      async send(_destination, { to }, message) {
        mails.push(readMail(to, message))
        return to.map(() => DELIVERED as never)
      },
      pausedUntil: () => null,
      close: async () => {},
    },
  })
  await emptyLedger(app)
  const domain = `d-${newId()}.dev`
  const domainId = await addVerifiedDomain(app, acme, domain)
  await acme.patch(`/domains/${domainId}`, { open_tracking: true, click_tracking: true, ...domainSettings })
  // Nobody looks up records here, and a change of settings asks for them anew.
  await app.db.query(sql`update domains set is_sending_verified = true where id = ${domainId}`)

  const send = (fields: object = {}) =>
    sendEmail(acme, { from: `Acme <hello@${domain}>`, to: 'ada@one.dev', ...fields })
  return {
    app,
    acme,
    domain,
    domainId,
    mails,
    send,
    /** Sends and delivers one, and lets a minute pass. */
    async deliver(fields: object = {}) {
      const id = await send(fields)
      await app.deliverDue()
      app.clock.advance(60)
      return { id, mail: mails.at(-1)! }
    },
    /** Follows a link or loads a picture as a person, and waits until that is written down. */
    async visit(url: string, headers: Record<string, string> = BROWSER, method: 'GET' | 'HEAD' = 'GET') {
      const reply = await app.server.inject({ method, url: pathOf(url), headers })
      await app.flush()
      return reply
    },
    /** What was told about opens and clicks. */
    told: async () => (await acme.events()).filter(({ type }) => /^email\.(opened|clicked)$/.test(type)),
  }
}

export const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '')

function readMail(to: readonly string[], message: Buffer): TrackedMail {
  const parts = flat(readMime(message))
  const contentOf = (type: string) =>
    parts
      .find((part) => part.type === type)
      ?.content.toString()
      .replaceAll('\r\n', '\n') ?? ''
  const html = contentOf('text/html')
  return {
    to,
    bytes: message.toString(),
    html,
    text: contentOf('text/plain').trimEnd(),
    pixel: /<img src="([^"]*\/o\/[^"]*)"/.exec(html)?.[1] ?? null,
    links: [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!),
  }
}

const flat = (part: ReadPart): ReadPart[] => [part, ...part.parts.flatMap(flat)]
