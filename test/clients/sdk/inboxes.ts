import { fresh, freshAddress, NOBODY, PNG, until } from '../world.ts'
import type { SdkTrial } from './trial.ts'

const UNKNOWN = { statusCode: 404, name: 'not_found' }
const WRONG = { statusCode: 422, name: 'validation_error' }

export async function tryInboxes(sdk: SdkTrial) {
  if (!sdk.has('inboxes.create')) return
  const domain = `${fresh('inboxes')}.example`
  await sdk.world.ask('POST', '/domains', { name: domain, capabilities: { sending: 'enabled', receiving: 'enabled' } })
  const emailAddress = `desk@${domain}`
  const inbox = await sdk.call('inboxes.create', [{ emailAddress, name: 'Desk', fromName: 'Acme' }], {
    object: 'inbox',
  })
  const inboxId: string = inbox?.id
  await settings(sdk, domain, inboxId)
  const place = await threads(sdk, { inboxId, emailAddress })
  await labels(sdk, place)
  await answers(sdk, place)
  await drafts(sdk, place)
  await agent(sdk, inboxId)
  await sdk.call('inboxes.remove', [emailAddress], { object: 'inbox', id: inboxId, deleted: true })
  await sdk.refuse('inboxes.get', [inboxId], UNKNOWN)
}

interface Place {
  readonly inboxId: string
  readonly threadId: string
  readonly emailId: string
}

async function settings(sdk: SdkTrial, domain: string, id: string) {
  await sdk.call('inboxes.get', [id], { id, name: 'Desk', email_address: `desk@${domain}`, receiving_address: null })
  await sdk.call('inboxes.get', [`desk@${domain}`], { id })
  await sdk.call('inboxes.update', [id, { name: 'Help', fromName: 'Acme Help' }], { object: 'inbox', id })
  await sdk.call('inboxes.list', [], { data: { 0: { id, name: 'Help' } } })
  await sdk.call('inboxes.list', [{ limit: 1 }], { data: { 0: { id } } })
  const forwarded = { emailAddress: `sales@${domain}`, forwarding: true }
  const other = await sdk.call('inboxes.create', [forwarded], { object: 'inbox' })
  await sdk.call('inboxes.get', [other?.id], { receiving_address: /@/ })
  await sdk.call('inboxes.remove', [other?.id], { deleted: true })
  await sdk.refuse('inboxes.create', [{ emailAddress: `desk@${domain}` }], WRONG)
  await sdk.refuse('inboxes.create', [{ emailAddress: 'desk@nobody.example' }], WRONG)
}

async function threads(sdk: SdkTrial, inbox: { inboxId: string; emailAddress: string }): Promise<Place> {
  const { inboxId, emailAddress } = inbox
  const subject = await sdk.world.receive(emailAddress)
  await until(async () => (await sdk.world.ask('GET', `/inboxes/${inboxId}/threads`)).data[0])
  const list = await sdk.call('inboxes.threads.list', [{ inboxId }], { data: { 0: { subject, read: false } } })
  const threadId: string = list?.data[0]?.id
  await sdk.call('inboxes.threads.list', [{ emailAddress, folders: ['inbox', 'sent'], read: false, limit: 5 }])
  await sdk.call('inboxes.threads.search', [{ inboxId, query: subject, from: ['ada'], hasAttachment: true }], {
    data: { 0: { id: threadId, matched_email_id: /-/ } },
  })
  await sdk.call('inboxes.threads.search', [{ inboxId, startDate: '2020-01-01', endDate: '2020-01-02' }], {
    data: (all: unknown[]) => all.length === 0,
  })
  await sdk.call('inboxes.threads.get', [{ inboxId, threadId }], { object: 'inbox_thread', folder: 'inbox' })
  await sdk.call('inboxes.threads.update', [{ inboxId, threadId, read: true, folder: 'archive' }], { read: true })
  await sdk.call('inboxes.threads.remove', [{ inboxId, threadId }], { deleted: true })
  await sdk.call('inboxes.threads.remove', [{ inboxId, threadId }], { deleted: false })
  await sdk.call('inboxes.threads.update', [{ inboxId, threadId, folder: 'inbox' }], { folder: 'inbox' })
  const emails = await sdk.call('inboxes.threads.emails.list', [{ inboxId, threadId, limit: 10 }], {
    data: { 0: { subject, direction: 'inbound' } },
  })
  const emailId: string = emails?.data[0]?.id
  await sdk.call('inboxes.threads.emails.get', [{ inboxId, threadId, emailId }], {
    html: /data:image\/png/,
    text: /Hi/,
  })
  await sdk.refuse('inboxes.threads.emails.get', [{ inboxId, threadId, emailId: NOBODY }], UNKNOWN)
  await sdk.refuse('inboxes.threads.get', [{ inboxId, threadId: NOBODY }], UNKNOWN)
  return { inboxId, threadId, emailId }
}

async function labels(sdk: SdkTrial, { inboxId, threadId }: Place) {
  const bug = await sdk.call('inboxes.labels.create', [{ inboxId, name: 'Bug', color: '#E93D82' }])
  const idea = await sdk.call('inboxes.labels.create', [{ inboxId, name: 'Idea' }])
  await sdk.call('inboxes.labels.list', [{ inboxId }], { data: { 0: { name: 'Bug', color: '#E93D82' } } })
  await sdk.call('inboxes.labels.update', [{ inboxId, labelId: bug?.id, name: 'Bugs' }], { id: bug?.id })
  const one = { data: (all: unknown[]) => all.length === 1 }
  await sdk.call('inboxes.threads.labels.add', [{ inboxId, threadId, labels: [bug?.id] }], one)
  await sdk.call('inboxes.threads.labels.set', [{ inboxId, threadId, labels: [bug?.id, idea?.id] }])
  await sdk.call('inboxes.threads.labels.remove', [{ inboxId, threadId, labelId: bug?.id }], one)
  await sdk.call('inboxes.threads.list', [{ inboxId, labels: [idea?.id] }], one)
  await sdk.call('inboxes.labels.remove', [{ inboxId, labelId: bug?.id }], { deleted: true })
  await sdk.refuse('inboxes.labels.create', [{ inboxId, name: 'idea' }], WRONG)
  await sdk.refuse('inboxes.threads.labels.add', [{ inboxId, threadId, labels: [NOBODY] }], UNKNOWN)
}

async function answers(sdk: SdkTrial, place: Place) {
  const key = { idempotencyKey: fresh('reply') }
  const reply = { ...place, html: '<p>Sure</p>', text: 'Sure', replyAll: true }
  const first = await sdk.call('inboxes.threads.emails.reply', [reply, key], { id: /-/ })
  await sdk.call('inboxes.threads.emails.reply', [reply, key], { id: first?.id })
  const attachments = [{ filename: 'logo.png', content: PNG }]
  await sdk.call('inboxes.threads.emails.forward', [{ ...place, to: freshAddress('boss'), text: 'Look', attachments }])
  await sdk.refuse('inboxes.threads.emails.reply', [{ ...place, text: 'x', headers: { references: 'x' } }], WRONG)
}

async function drafts(sdk: SdkTrial, { inboxId, threadId, emailId }: Place) {
  const attachments = [{ filename: 'a.txt', content: Buffer.from('hello'), contentType: 'text/plain' }]
  const draft = { inboxId, to: freshAddress('eve'), subject: 'Tea', text: 'Hi', attachments }
  const created = await sdk.call('inboxes.drafts.create', [draft], { object: 'inbox_draft' })
  const draftId: string = created?.id
  await sdk.call('inboxes.drafts.get', [{ inboxId, draftId }], { type: 'standalone', attachments: { 0: { size: 5 } } })
  await sdk.call('inboxes.drafts.update', [{ inboxId, draftId, subject: 'Green tea', attachments: null }])
  const answer = await sdk.call('inboxes.drafts.create', [
    { inboxId, threadId, replyToEmailId: emailId, html: '<p>Yes</p>' },
  ])
  await sdk.call('inboxes.drafts.list', [{ inboxId, limit: 5 }], { data: { 0: { id: answer?.id, type: 'reply' } } })
  await sdk.call('inboxes.drafts.send', [{ inboxId, draftId, headers: { 'X-Order': '42' } }], { id: /-/ })
  await sdk.refuse('inboxes.drafts.send', [{ inboxId, draftId }], { statusCode: 409, name: 'resource_locked' })
  await sdk.call('inboxes.drafts.remove', [{ inboxId, draftId: answer?.id }], { deleted: true })
  await sdk.refuse('inboxes.drafts.get', [{ inboxId, draftId: NOBODY }], UNKNOWN)
}

async function agent(sdk: SdkTrial, inboxId: string) {
  await sdk.call('inboxes.agent.get', [{ inboxId }], { object: 'inbox_agent' })
  const told = { instructions: 'Label bugs.', tone: 'concise_casual', actions: ['add_labels', 'archive'] }
  await sdk.call('inboxes.agent.update', [{ inboxId, ...told }], { object: 'inbox_agent' })
  await sdk.call('inboxes.agent.get', [{ inboxId }], told)
}
