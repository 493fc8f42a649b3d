import type { CaseRun, Fixture, Json } from '../suite/case-run.ts'
import { is, uuid } from '../suite/shape.ts'

// What cases about inboxes need: an inbox, drafts, conversations, labels.

/** Mail of the address would be forwarded to the inbox: the domain need not be verified. */
export async function inboxBody(trial: CaseRun) {
  const { name } = await trial.need(domain)
  return { email_address: `${trial.fresh('desk')}@${name}`, name: 'Desk', forwarding: true }
}

const domain: Fixture<{ name: string }> = {
  async make(trial) {
    const name = `${trial.fresh('cf')}.example.org`
    await trial.made('POST /domains', { body: { name } })
    return { name }
  },
}

export const inbox: Fixture<{ id: string }> = {
  make: async (trial) => ({ id: (await trial.made('POST /inboxes', { body: await inboxBody(trial) })).id }),
}

export const draftBody = (trial: CaseRun) => ({ to: [trial.address()], subject: trial.fresh('Draft'), text: 'Hello' })
export const MADE_DRAFT = { object: is('inbox_draft'), id: uuid }

export async function draft(
  trial: CaseRun,
): Promise<{ id: string; draft_id: string; given: ReturnType<typeof draftBody> }> {
  const { id } = await trial.need(inbox)
  const given = draftBody(trial)
  const made = await trial.made('POST /inboxes/:id/drafts', { params: { id }, body: given })
  return { id, draft_id: made.id, given }
}

/** A conversation that a draft begins. */
export async function beginThread(trial: CaseRun): Promise<{ id: string; thread_id: string }> {
  const { id, draft_id, given } = await draft(trial)
  await trial.made('POST /inboxes/:id/drafts/:draft_id/send', { params: { id, draft_id }, body: {} })
  const found = await trial.until('what was sent is a thread', async () => {
    const { data = [] } = await trial.made('GET /inboxes/:id/threads', { params: { id }, query: 'folders=sent' })
    return data.find((one: Json) => one?.subject === given.subject)
  })
  return { id, thread_id: found.id }
}

export const thread: Fixture<{ id: string; thread_id: string }> = { make: beginThread }

export async function label(trial: CaseRun): Promise<{ id: string; label_id: string }> {
  const { id } = await trial.need(inbox)
  const made = await trial.made('POST /inboxes/:id/labels', {
    params: { id },
    body: { name: trial.fresh('label'), color: '#112233' },
  })
  return { id, label_id: made.id }
}

export const message: Fixture<{ id: string; thread_id: string; email_id: string }> = {
  async make(trial) {
    const params = await trial.need(thread)
    const { data } = await trial.made('GET /inboxes/:id/threads/:thread_id/emails', { params })
    return { ...params, email_id: data?.[0]?.id ?? trial.skip('needs an email in the thread') }
  },
}
