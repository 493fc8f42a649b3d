import { insertInvitation } from '../../src/features/people/invitations.ts'
import { insertUserSession } from '../../src/features/people/sessions.ts'
import { addMember, ensureUser } from '../../src/features/people/users.ts'
import { ensureTeam } from '../../src/features/teams/queries.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import type { App, Client } from './app.ts'
import { guardedKey } from './approvals.ts'
import { arrive, receivingDomain, written } from './arriving.ts'
import { AUTOMATION, addRun } from './automations.ts'
import { addDocument, addVersion, imageOf } from './documents.ts'
import { domainNamed, freshName } from './domains.ts'
import { SIMPLE } from './emails.ts'
import { formOf } from './form.ts'
import { newId } from './ids.ts'
import { INBOX_LISTS } from './inbox-lists.ts'
import { addGrant } from './oauth.ts'
import { MAILING } from './requests.ts'
import { addLogged, addWebhook } from './webhooks.ts'
import { addCeiling } from './world.ts'

/** One list of one team, and how to change what is in it. */
export interface ListUnderTest {
  readonly path: string
  /** What the ids begin with. */
  readonly prefix?: string
  /** Items when no limit is asked for. */
  readonly unlimited: 'all' | number
  /** Unless the newest come first. */
  readonly isOldestFirst?: boolean
  /** Ids of items that are there from the start and stay. */
  readonly existing?: readonly string[]
  /** The id of a new item. */
  create(n: number): Promise<string>
  remove(id: string): Promise<unknown>
  /** Called before each page, for a list that changes by being read. */
  settle?(): Promise<unknown>
}

export type Recipe = (client: Client, app: App) => Promise<ListUnderTest>

const postTo = async (client: Client, path: string, body: object): Promise<string> =>
  (await client.post(path, body)).body.id

/** A resource with the usual doors: POST to its path creates, DELETE below it removes. */
const collection =
  (path: string, unlimited: 'all' | number, nth: (n: number) => object): Recipe =>
  async (client) => ({
    path,
    unlimited,
    create: (n) => postTo(client, path, nth(n)),
    remove: (id) => client.delete(`${path}/${id}`),
  })

const named = (n: number) => ({ name: `Item ${n}` })
const addressed = (n: number) => ({ email: `user${n}@example.com` })

const contactsIn =
  (parent: 'segments' | 'audiences'): Recipe =>
  async (client) => {
    const segment = await postTo(client, '/segments', { name: 'Early' })
    return {
      path: `/${parent}/${segment}/contacts`,
      unlimited: 'all',
      create: (n) => postTo(client, '/contacts', { ...addressed(n), segments: [segment] }),
      remove: (id) => client.delete(`/contacts/${id}`),
    }
  }

const runsIn =
  (path: (automation: string) => string): Recipe =>
  async (client, { db }) => {
    const automation = await postTo(client, '/automations', AUTOMATION)
    return {
      path: path(automation),
      unlimited: 20,
      create: (n) => addRun(db, client.team, automation, { status: STATUSES[n % STATUSES.length]! }),
      remove: (id) => db.query(sql`delete from automation_runs where team_id = ${client.team} and id = ${id}`),
    }
  }

/** A list of runs is merged from those of each status. */
const STATUSES = ['running', 'completed', 'failed', 'cancelled'] as const

const makeBroadcast = async (client: Client) =>
  postTo(client, '/broadcasts', { ...MAILING, segment_id: await postTo(client, '/segments', named(0)) })

/** The team has a key already: that of the client. */
const keyList: Recipe = async (client, app) => {
  const [own] = await app.db.query<{ id: string }>(sql`select id from api_keys where team_id = ${client.team}`)
  return { ...(await collection('/api-keys', 'all', named)(client, app)), existing: [own!.id] }
}

/** How to fill and empty each list of the API, by the id of its endpoint. */
export const LISTS: Record<string, Recipe> = {
  'api-keys.list': (client, app) => keyList(client, app),
  'api-keys.details.list': async (client, app) => ({ ...(await keyList(client, app)), path: '/api-keys/details' }),
  'approvals.list': async (client, app) => {
    const key = await guardedKey(app, client)
    return {
      path: '/approvals',
      unlimited: 20,
      create: (n) => key.send({ subject: `Item ${n}` }),
      remove: (id) => client.delete(`/emails/${id}`),
    }
  },
  'oauth.grants.list': async ({ team }, app) => ({
    path: '/oauth/grants',
    unlimited: 20,
    create: () => addGrant(app, team),
    remove: (id) => app.db.query(sql`delete from oauth_grants where team_id = ${team} and id = ${id}`),
  }),
  'domains.list': (client, app) => collection('/domains', 'all', () => domainNamed(freshName()))(client, app),
  'templates.list': collection('/templates', 20, (n) => ({ ...named(n), html: '<p>Hello</p>' })),

  'templates.versions.list': async (client, { db }) => {
    const { team } = client
    const template = await postTo(client, '/templates', { ...named(0), html: '<p>Hello</p>' })
    const { current_version_id } = (await client.get(`/templates/${template}`)).body
    return {
      path: `/templates/${template}/versions`,
      unlimited: 20,
      existing: [current_version_id],
      async create() {
        const id = newId()
        await db.query(sql`
          insert into template_versions (team_id, id, template_id, html, created_at)
          values (${team}, ${id}, ${template}, '<p>Hello</p>', now())`)
        return id
      },
      remove: (id) => db.query(sql`delete from template_versions where team_id = ${team} and id = ${id}`),
    }
  },

  'editor.versions.list': async (client, app) => {
    const template = await postTo(client, '/templates', { ...named(0), html: '<p>Hello</p>' })
    const first = await addDocument(app, client.team, template)
    return {
      path: `/editor/versions?resource_type=template&resource_id=${template}`,
      unlimited: 20,
      existing: [first],
      create: (n) => addVersion(app, client.team, template, n + 2),
      remove: (id) => app.db.query(sql`delete from editor_versions where team_id = ${client.team} and id = ${id}`),
    }
  },
  'editor.connections.list': async (client, { db }) => {
    const template = await postTo(client, '/templates', { ...named(0), html: '<p>Hello</p>' })
    const document = { resource_type: 'template', resource_id: template }
    return {
      path: `/editor/connections?${new URLSearchParams(document)}`,
      unlimited: 20,
      create: (n) => postTo(client, '/editor/connections', { ...document, agent_name: `Agent ${n}` }),
      remove: (id) => db.query(sql`delete from editor_connections where team_id = ${client.team} and id = ${id}`),
    }
  },
  'editor.images.list': collection('/editor/images', 20, (n) => ({ content: imageOf(String(n)) })),

  'sandboxes.list': collection('/sandboxes', 20, named),
  'messages.list': async (client) => ({
    path: '/messages',
    unlimited: 20,
    create: () => postTo(client, '/emails', SIMPLE),
    remove: (id) => client.delete(`/messages/${id}`),
  }),
  'topics.list': collection('/topics', 20, named),
  'contacts.list': collection('/contacts', 'all', addressed),
  'segments.contacts.list': contactsIn('segments'),
  'audiences.contacts.list': contactsIn('audiences'),
  'segments.list': collection('/segments', 'all', named),
  'audiences.list': collection('/audiences', 'all', named),
  'contact-properties.list': collection('/contact-properties', 20, (n) => ({ key: `key_${n}`, type: 'string' })),
  'events.list': collection('/events', 20, (n) => ({ name: `event.${n}` })),
  'suppressions.list': collection('/suppressions', 20, addressed),

  'webhooks.list': collection('/webhooks', 20, (n) => ({
    endpoint: `https://example.com/${n}`,
    events: ['email.sent'],
  })),

  'webhooks.events.list': async (client, app) => {
    const { id: webhook } = await addWebhook(client, 'https://example.com/')
    return {
      path: `/webhooks/${webhook}/events`,
      prefix: 'msg_',
      unlimited: 20,
      create: () => addLogged(app, client, webhook),
      remove: (id) => app.db.query(sql`delete from webhook_deliveries where event_id = ${id.slice('msg_'.length)}`),
    }
  },

  'webhooks.events.attempts.list': async (client, app) => {
    const { id: webhook } = await addWebhook(client, 'https://example.com/')
    const event = await addLogged(app, client, webhook)
    return {
      path: `/webhooks/${webhook}/events/${event}/attempts`,
      prefix: 'atmpt_',
      unlimited: 20,
      async create() {
        const id = newId()
        await app.db.query(sql`
          insert into webhook_attempts (team_id, webhook_id, event_id, id, http_status_code, response, duration_ms, sent_at)
          values (${client.team}, ${webhook}, ${event.slice('msg_'.length)}, ${id}, 200, 'ok', 1, now())`)
        return `atmpt_${id}`
      },
      remove: (id) => app.db.query(sql`delete from webhook_attempts where id = ${id.slice('atmpt_'.length)}`),
    }
  },

  'emails.list': async (client, app) => ({
    ...(await collection('/emails', 20, () => SIMPLE)(client, app)),
    remove: (id) => app.db.query(sql`delete from emails where team_id = ${client.team} and id = ${id}`),
  }),

  'emails.attachments.list': async (client, { db }) => {
    const { team } = client
    const email = await postTo(client, '/emails', SIMPLE)
    return {
      path: `/emails/${email}/attachments`,
      unlimited: 'all',
      async create() {
        const id = newId()
        await db.query(sql`
          insert into email_attachments (team_id, id, email_id, content_type, size, blob, created_at)
          values (${team}, ${id}, ${email}, 'text/plain', 5, 'hello', now())`)
        return id
      },
      remove: (id) => db.query(sql`delete from email_attachments where team_id = ${team} and id = ${id}`),
    }
  },

  'emails.receiving.list': async (client, app) => {
    const { domain } = await receivingDomain(client)
    return {
      path: '/emails/receiving',
      unlimited: 'all',
      async create() {
        const { message: id } = await arrive(app, written(), { to: [`desk@${domain}`] })
        await client.get(`/emails/receiving/${id}`) // who asks for a message has it read
        return id
      },
      remove: (id) => app.db.query(sql`delete from received_emails where team_id = ${client.team} and id = ${id}`),
    }
  },

  'emails.receiving.attachments.list': async (client, app) => {
    const { domain } = await receivingDomain(client)
    const { message: email } = await arrive(app, written(), { to: [`desk@${domain}`] })
    return {
      path: `/emails/receiving/${email}/attachments`,
      unlimited: 'all',
      async create() {
        const id = newId()
        await app.db.query(sql`
          insert into received_attachments (team_id, id, received_id, content_type, size, blob, created_at)
          values (${client.team}, ${id}, ${email}, 'text/plain', 5, 'hello', now())`)
        return id
      },
      remove: (id) => app.db.query(sql`delete from received_attachments where team_id = ${client.team} and id = ${id}`),
    }
  },

  ...INBOX_LISTS,

  'broadcasts.list': async (client, app) => {
    const segment_id = await postTo(client, '/segments', named(0))
    return collection('/broadcasts', 'all', () => ({ ...MAILING, segment_id }))(client, app)
  },

  'broadcasts.recipients': async (client, { db }) => {
    const { team } = client
    const broadcast = await makeBroadcast(client)
    return {
      path: `/broadcasts/${broadcast}/recipients?type=sent`,
      unlimited: 20,
      async create() {
        const id = newId()
        await db.query(sql`
          insert into broadcast_recipients (team_id, broadcast_id, id, contact_id, email)
          values (${team}, ${broadcast}, ${id}, ${newId()}, 'ada@example.com')`)
        return id
      },
      remove: (id) => db.query(sql`delete from broadcast_recipients where team_id = ${team} and id = ${id}`),
    }
  },

  // The most clicked link comes first, so each new one is clicked once more than the one before.
  'broadcasts.clicked-links': async (client, { db }) => {
    const { team } = client
    const broadcast = await makeBroadcast(client)
    const path = `/broadcasts/${broadcast}/clicked-links`
    const urls = new Map<string, string>()
    return {
      path,
      unlimited: 20,
      async create(n) {
        const url = `https://acme.dev/${n}`
        const data = { broadcast_id: broadcast, click: { link: url } }
        await db.query(sql`
          insert into outbox (team_id, id, type, data, about, created_at)
          select ${team}, gen_random_uuid(), 'email.clicked', ${data}, ${newId()}, now() from generate_series(0, ${n}::int)`)
        const { id } = (await client.get(`${path}?limit=1`)).body.data[0]
        urls.set(id, url)
        return id
      },
      remove: (id) =>
        db.query(sql`delete from outbox where team_id = ${team} and data #>> '{click,link}' = ${urls.get(id)}`),
    }
  },

  'automations.list': collection('/automations', 20, (n) => ({ ...AUTOMATION, ...named(n) })),
  'automations.runs.list': runsIn((automation) => `/automations/${automation}/runs`),
  'automationRuns.list': runsIn(() => '/automation-runs'),

  'contacts.activity.list': async (client, { db }) => {
    const contact = await postTo(client, '/contacts', { email: SIMPLE.to })
    return {
      path: `/contacts/${contact}/activity`,
      unlimited: 20,
      create: () => postTo(client, '/emails', SIMPLE),
      remove: (id) => db.query(sql`delete from emails where team_id = ${client.team} and id = ${id}`),
    }
  },

  'contacts.segments.list': async (client) => {
    const contact = await postTo(client, '/contacts', addressed(0))
    return {
      path: `/contacts/${contact}/segments`,
      unlimited: 20,
      async create(n) {
        const segment = await postTo(client, '/segments', named(n))
        await client.post(`/contacts/${contact}/segments/${segment}`)
        return segment
      },
      remove: (id) => client.delete(`/contacts/${contact}/segments/${id}`),
    }
  },

  'contacts.topics.list': async (client) => ({
    path: `/contacts/${await postTo(client, '/contacts', addressed(0))}/topics`,
    unlimited: 20,
    create: (n) => postTo(client, '/topics', named(n)),
    remove: (id) => client.delete(`/topics/${id}`),
  }),

  'contacts.imports.list': async (client, { db }) => ({
    path: '/contacts/imports',
    unlimited: 10,
    async create(n) {
      const form = await formOf({ file: `email\nuser${n}@example.com\n` })
      return (await client.send({ method: 'POST', url: '/contacts/imports', ...form })).body.id
    },
    remove: (id) => db.query(sql`delete from contact_imports where team_id = ${client.team} and id = ${id}`),
  }),

  'contacts.imports.errors.list': async (client, { db }) => {
    const form = await formOf({ file: 'email\nuser@example.com\n' })
    const { id: imported } = (await client.send({ method: 'POST', url: '/contacts/imports', ...form })).body
    return {
      path: `/contacts/imports/${imported}/errors`,
      unlimited: 100,
      isOldestFirst: true,
      async create(n) {
        const id = newId()
        await db.query(sql`
          insert into contact_import_errors (team_id, import_id, id, row_number, reason, record)
          values (${client.team}, ${imported}, ${id}, ${n + 2}, 'Not a valid email address.', '{}')`)
        return id
      },
      remove: (id) => db.query(sql`delete from contact_import_errors where team_id = ${client.team} and id = ${id}`),
    }
  },

  'teams.list': async (client, app) => {
    const { userId } = await app.ownerOf(client)
    return {
      path: '/teams',
      unlimited: 'all',
      existing: [client.team],
      async create() {
        const { id } = await ensureTeam(app.db, `Team ${newId()}`)
        await addMember(app.db, id, userId, 'viewer')
        return id
      },
      remove: (id) => app.db.query(sql`delete from memberships where team_id = ${id} and user_id = ${userId}`),
    }
  },

  'operator.teams.list': async (_client, { db }) => {
    const word = newId()
    return {
      path: `/operator/teams?name=${word}`,
      unlimited: 20,
      create: async () => (await ensureTeam(db, `${word} ${newId()}`)).id,
      remove: (id) => db.query(sql`delete from teams where id = ${id}`),
    }
  },

  'operator.delivery.ceilings.list': async (_client, app) => {
    await app.db.query(sql`delete from delivery_ceilings`)
    return {
      path: '/operator/delivery/ceilings',
      unlimited: 20,
      create: () => addCeiling(app),
      remove: (id) => app.db.query(sql`delete from delivery_ceilings where id = ${id}`),
    }
  },

  'members.list': async ({ team }, { db }) => ({
    path: '/members',
    unlimited: 'all',
    async create() {
      const { id } = await ensureUser(db, `${newId()}@example.com`)
      await addMember(db, team, id, 'viewer')
      return id
    },
    remove: (id) => db.query(sql`delete from memberships where team_id = ${team} and user_id = ${id}`),
  }),

  'invitations.list': async (client, app) => {
    const owner = await app.ownerOf(client)
    const invitation = () => ({ email: `${newId()}@example.com`, role: 'viewer' as const, invitedBy: owner.userId })
    return {
      path: '/invitations',
      unlimited: 'all',
      create: async () => (await app.db.transaction((trx) => insertInvitation(trx, client.team, invitation()))).id,
      remove: (id) => owner.delete(`/invitations/${id}`),
    }
  },

  'account.invitations.list': async (client, app) => {
    const { email } = await app.ownerOf(client)
    return {
      path: '/account/invitations',
      unlimited: 'all',
      async create() {
        const { id: team } = await ensureTeam(app.db, `Team ${newId()}`)
        const { id: invitedBy } = await ensureUser(app.db, `${newId()}@example.com`)
        await addMember(app.db, team, invitedBy, 'admin')
        return (await app.db.transaction((trx) => insertInvitation(trx, team, { email, role: 'viewer', invitedBy }))).id
      },
      remove: (id) => app.db.query(sql`delete from invitations where id = ${id}`),
    }
  },

  'audit-events.list': async (client, { db }) => ({
    path: '/audit-events',
    unlimited: 20,
    create: async (n) => (await client.post('/segments', named(n))).headers['x-request-id'] as string,
    remove: (id) => db.query(sql`delete from audit_events where team_id = ${client.team} and id = ${id}`),
  }),

  'account.passkeys.list': async (client, app) => {
    const { userId } = await app.ownerOf(client)
    return {
      path: '/account/passkeys',
      unlimited: 'all',
      async create(n) {
        const id = newId()
        await app.db.query(sql`
          insert into passkeys (user_id, id, credential_id, public_key, counter, transports, name, created_at)
          values (${userId}, ${id}, ${newId()}, '', 0, '{}', ${`Passkey ${n}`}, now())`)
        return id
      },
      remove: (id) => app.db.query(sql`delete from passkeys where user_id = ${userId} and id = ${id}`),
    }
  },

  'account.sessions.list': async (client, app) => {
    const { userId } = await app.ownerOf(client)
    const [own] = await app.db.query<{ id: string }>(sql`select id from user_sessions where user_id = ${userId}`)
    return {
      path: '/account/sessions',
      unlimited: 100,
      existing: [own!.id],
      create: () =>
        insertUserSession(app.db, { userId, team: client.team, method: 'link', ipAddress: null, userAgent: null }),
      remove: (id) => app.db.query(sql`delete from user_sessions where user_id = ${userId} and id = ${id}`),
    }
  },

  'logs.list': async (client, app) => ({
    path: '/logs',
    unlimited: 20,
    async create() {
      const { headers } = await client.get('/usage')
      await app.flush()
      return headers['x-request-id'] as string
    },
    remove: (id) => app.db.query(sql`delete from request_logs where team_id = ${client.team} and id = ${id}`),
    async settle() {
      await app.flush()
      await app.db.query(sql`delete from request_logs where team_id = ${client.team} and endpoint = '/logs'`)
    },
  }),
}
