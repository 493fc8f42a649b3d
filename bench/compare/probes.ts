import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/kernel/db/sql.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { newId } from '../../src/platform/ids.ts'
import { type BenchEmail, benchEmail, smallEmail, WIRE_BYTES } from '../email.ts'
import { importContacts } from '../import.ts'
import { postMany, readOnce, warmUp } from '../load.ts'
import { sourceRate } from '../postfix.ts'
import { startHookReceiver } from '../receiver.ts'
import { addDomain, endToEnd, settled } from '../send.ts'
import { freePort } from '../service.ts'
import { startSink } from '../sink.ts'
import { type Contender, call } from './contender.ts'
import { startNobody } from './nobody.ts'
import { throughRoles } from './roles.ts'
import { webhooksSettled } from './webhooks-settled.ts'

/** Work that both builds do in short rounds, over HTTP and SMTP: what is inside of them may differ. */
export interface Probe {
  readonly summary: string
  /** What is counted. */
  readonly unit: string
  /** Prepares the outside world, and says how to start a build in it. */
  prepare(): Promise<Stage>
}

export interface Stage {
  /** Of a contender's own. */
  settings(): Promise<Record<string, string>>
  begin(contender: Contender): Promise<void>
  /** Does a round, and tells how many it did. */
  round(contender: Contender): Promise<number>
  end(): Promise<void>
}

const CONNECTIONS = 64
const nothing = async () => {}

const accept: Probe = {
  summary: 'POST /emails, accepted durably, 64 connections',
  unit: 'email',
  async prepare() {
    const amount = 3_000
    const email = benchEmail('shop@bench.dev')
    const post = (contender: Contender, count: number) =>
      postMany(`${contender.service.url}/emails`, email, { connections: CONNECTIONS, amount: count })
    return {
      settings: async () => ({ POSTWREN_ROLES: 'api' }),
      begin: (contender) => post(contender, amount),
      async round(contender) {
        await post(contender, amount)
        return amount
      },
      end: nothing,
    }
  },
}

/** From the request to the outcome, over a relay that takes everything: many at a time, or each when the one before is settled. */
const throughRelay = (
  summary: string,
  {
    dkim,
    amount,
    isOneByOne = false,
    emailFrom = benchEmail,
  }: { dkim: 'rsa' | 'ed25519'; amount: number; isOneByOne?: boolean; emailFrom?: (from: string) => BenchEmail },
): Probe => ({
  summary,
  unit: 'email',
  async prepare() {
    const sink = await startSink()
    const email = emailFrom(`shop@${dkim}.bench.dev`)
    const sendOne = async (contender: Contender) => {
      sink.reset()
      const arrived = sink.reached(1)
      await call(contender, 'POST', '/emails', email)
      await arrived
      await settled(contender.database)
    }
    const send = async (contender: Contender) => {
      if (isOneByOne) for (let sent = 0; sent < amount; sent++) await sendOne(contender)
      else await endToEnd(contender.service, contender.database, sink, email, amount)
      return amount
    }
    return {
      settings: async () => ({
        POSTWREN_DELIVERY: 'relay',
        POSTWREN_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      }),
      async begin(contender) {
        await addDomain(contender.service, contender.database, `${dkim}.bench.dev`, dkim)
        await send(contender)
      },
      round: send,
      end: sink.stop,
    }
  },
})

const broadcast: Probe = {
  summary: 'a broadcast to 4,000, from send to the last outcome',
  unit: 'copy',
  async prepare() {
    const readers = 4_000
    const sink = await startSink()
    const email = benchEmail('shop@ed25519.bench.dev')
    const segments = new Map<Contender, string>()
    const send = async (contender: Contender) => {
      const { from, subject, html, text } = email
      sink.reset()
      const arrived = sink.reached(readers)
      const { id } = await call<{ id: string }>(contender, 'POST', '/broadcasts', {
        ...{ from, subject, text, html: html.replace('<body>', '<body><p>Dear {{{FIRST_NAME|friend}}},</p>') },
        segment_id: segments.get(contender),
        send: true,
      })
      await arrived
      for (;;) {
        const { status } = await call<{ status: string }>(contender, 'GET', `/broadcasts/${id}`)
        if (status === 'sent') return readers
        await delay(20)
      }
    }
    return {
      settings: async () => ({
        POSTWREN_DELIVERY: 'relay',
        POSTWREN_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      }),
      async begin(contender) {
        await addDomain(contender.service, contender.database, 'ed25519.bench.dev', 'ed25519')
        await importContacts(contender.service.url, readers)
        const { id } = await call<{ id: string }>(contender, 'POST', '/segments', { name: 'Readers' })
        segments.set(contender, id)
        await contender.database.db.queryPooled(sql`update contacts set unsubscribed = false`)
        await contender.database.db.queryPooled(sql`
          insert into contact_segments (team_id, contact_id, segment_id, created_at)
          select team_id, id, ${id}, now() from contacts`)
        await contender.database.db.queryPooled(sql`vacuum analyze contacts, contact_segments`)
        await send(contender)
      },
      round: send,
      end: sink.stop,
    }
  },
}

const webhooks: Probe = {
  summary: 'events to one endpoint, attempts written',
  unit: 'event',
  async prepare() {
    const events = 6_000
    const receiver = await startHookReceiver()
    const deliver = async (contender: Contender, count: number) => {
      receiver.reset()
      const arrived = receiver.reached(count)
      await insertEvents(contender, count)
      await arrived
      await webhooksSettled(contender)
      return count
    }
    return {
      settings: async () => ({}),
      async begin(contender) {
        await contender.database.db.presence.start()
        await call(contender, 'POST', '/webhooks', { endpoint: `${receiver.url}/`, events: ['email.delivered'] })
        await deliver(contender, 1_000)
      },
      round: (contender) => deliver(contender, events),
      end: receiver.stop,
    }
  },
}

async function insertEvents({ database: { db } }: Contender, count: number) {
  const events = Array.from({ length: count }, (_, number) => ({
    id: newId(systemClock),
    data: {
      ...{ email_id: newId(systemClock), created_at: new Date().toISOString(), from: 'Shop <shop@bench.dev>' },
      ...{ to: [`customer${number}@example.com`], subject: 'Your order is on its way', tags: { kind: 'order' } },
    },
  }))
  await db.queryPooled(sql`
    insert into outbox (team_id, id, type, data, created_at)
    select (select id from teams order by created_at limit 1), id, 'email.delivered', data, now()
    from json_to_recordset(${JSON.stringify(events)}::json) as new (id uuid, data json)`)
  db.signals.announce('outbox')
}

const receive: Probe = {
  summary: 'mail taken in durably over SMTP',
  unit: 'message',
  async prepare() {
    const messages = 2_000
    const ports = new Map<string, number>()
    const take = async ({ service }: Contender, count: number) => {
      await sourceRate(ports.get(service.url)!, count, WIRE_BYTES)
      return count
    }
    let last = 0
    return {
      async settings() {
        last = await freePort()
        return { POSTWREN_SMTP_PORT: String(last), POSTWREN_ROLES: 'api,smtp' }
      },
      async begin(contender) {
        ports.set(contender.service.url, last)
        await take(contender, 500)
      },
      round: (contender) => take(contender, messages),
      end: nothing,
    }
  },
}

/** Many at a time, or each when the one before has been read. */
const reading = (
  summary: string,
  { messages, isOneByOne = false }: { messages: number; isOneByOne?: boolean },
): Probe => ({
  summary,
  unit: 'message',
  async prepare() {
    const nobody = await startNobody()
    const ports = new Map<string, number>()
    const take = async ({ service, database: { db } }: Contender, count: number) => {
      await sourceRate(ports.get(service.url)!, count, WIRE_BYTES)
      for (;;) {
        const [row] = await db.query<{ pending: boolean }>(sql`
          select exists (select from jobs where name = 'received-emails.read') as pending`)
        if (!row!.pending) return
        await delay(10)
      }
    }
    const round = async (contender: Contender) => {
      if (isOneByOne) for (let taken = 0; taken < messages; taken++) await take(contender, 1)
      else await take(contender, messages)
      return messages
    }
    let last = 0
    return {
      async settings() {
        last = await freePort()
        return { POSTWREN_SMTP_PORT: String(last), POSTWREN_DNS_SERVERS: nobody.address }
      },
      async begin(contender) {
        ports.set(contender.service.url, last)
        await round(contender)
      },
      round,
      end: nobody.stop,
    }
  },
})

/** Of a list of contacts: what is read in a round, and how much that is. */
const listing = (summary: string, unit: string, read: (contacts: string) => Promise<number>): Probe => ({
  summary,
  unit,
  async prepare() {
    const round = ({ service }: Contender) => read(`${service.url}/contacts`)
    return {
      settings: async () => ({}),
      async begin(contender) {
        await importContacts(contender.service.url, LISTED_CONTACTS)
        await contender.database.db.queryPooled(sql`vacuum analyze contacts`)
        await round(contender)
      },
      round,
      end: nothing,
    }
  },
})

const LISTED_CONTACTS = 20_000

const pagesOf = (limit: number, { connections, amount }: { connections: number; amount: number }) =>
  listing(`GET /contacts?limit=${limit} of 20,000, ${connections} connections`, 'page', async (contacts) => {
    await warmUp(`${contacts}?limit=${limit}`, { connections, amount })
    return amount
  })

const wholeList = listing('GET /contacts, all 20,000 of them', 'contact', async (contacts) => {
  const times = 10
  for (let time = 0; time < times; time++) await readOnce(contacts)
  return times * LISTED_CONTACTS
})

export const PROBES: Record<string, Probe> = {
  accept,
  rsa: throughRelay('accepted → DKIM RSA-2048 → sink, outcomes written', { dkim: 'rsa', amount: 800 }),
  ed25519: throughRelay('accepted → DKIM Ed25519 → sink, outcomes written', { dkim: 'ed25519', amount: 1_500 }),
  single: throughRelay('the same, one email at a time', { dkim: 'ed25519', amount: 60, isOneByOne: true }),
  small: throughRelay('emails of 2 kB → DKIM Ed25519 → sink, outcomes written', {
    ...{ dkim: 'ed25519', amount: 1_500, emailFrom: smallEmail },
  }),
  'small-single': throughRelay('emails of 2 kB, one at a time', {
    ...{ dkim: 'ed25519', amount: 60, emailFrom: smallEmail, isOneByOne: true },
  }),
  roles: throughRoles('emails of 2 kB through api, delivery and jobs, until a webhook has heard', { amount: 1_000 }),
  'roles-single': throughRoles('the same, one email at a time', { amount: 40, isOneByOne: true }),
  broadcast,
  webhooks,
  receive,
  read: reading('mail taken in over SMTP, read and judged', { messages: 500 }),
  'read-single': reading('the same, one message at a time', { messages: 40, isOneByOne: true }),
  pages: pagesOf(100, { connections: 8, amount: 1_500 }),
  'short-pages': pagesOf(20, { connections: 32, amount: 4_000 }),
  'whole-list': wholeList,
}
