import { freshAddress, NOBODY, PNG, until } from '../world.ts'
import type { SdkTrial } from './trial.ts'

const HELLO = { from: 'Acme <me@acme.example>', subject: 'Hello', html: '<p>Hi</p>' }
const UNKNOWN = { statusCode: 404, name: 'not_found' }

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

export async function tryEmails(sdk: SdkTrial) {
  await send(sdk)
  await schedule(sdk)
  await attach(sdk)
  await batch(sdk)
  await receive(sdk)
  await broadcast(sdk)
}

async function send(sdk: SdkTrial) {
  const to = freshAddress('you')
  const whole = {
    ...HELLO,
    to: [to],
    cc: freshAddress('cc'),
    bcc: [freshAddress('bcc')],
    ...(sdk.major < 4 ? { reply_to: 'help@acme.example' } : { replyTo: 'help@acme.example' }),
    text: 'Hi',
    headers: { 'X-Entity-Ref-ID': '123' },
    tags: [{ name: 'kind', value: 'greeting' }],
  }
  const plain = await sdk.call('emails.send', [{ ...HELLO, to }])
  await sdk.call('emails.get', [plain?.id], { object: 'email', to: [to], subject: 'Hello', html: '<p>Hi</p>' })
  const { id } = (await sdk.call('emails.create', [whole])) ?? {}
  await sdk.call('emails.get', [id], { to: [to], reply_to: ['help@acme.example'], cc: Array.isArray })
  await until(async () => (await sdk.world.ask('GET', `/emails/${id}`)).last_event === 'delivered')
  await sdk.call('emails.get', [id], { last_event: 'delivered' })
  await sdk.call('emails.list', [])
  await sdk.call('emails.list', [{ limit: 2 }], { object: 'list', data: (all: unknown[]) => all.length === 2 })
  await sdk.call('emails.share', [id], { object: 'email', id, url: /^http/ })
  await sdk.call('emails.share', [id, { expiresIn: '2 hours' }], { url: /^http/ })
  await sdk.call('emails.metrics', [{}], { object: 'metrics' })
  await sdk.call('emails.metrics', [
    { metrics: ['sent', 'open_rate'], dimensions: ['period', 'domain'], granularity: 'hourly' },
  ])
  await sdk.call('emails.metrics', [{ metrics: ['sent'], dimensions: ['email'], emailId: [id] }])
  const key = { idempotencyKey: `order-${id}` }
  if (sdk.major >= 5) {
    const first = await sdk.call('emails.send', [{ ...HELLO, to }, key])
    await sdk.call('emails.send', [{ ...HELLO, to }, key], { id: first?.id })
    const other = { statusCode: 409, name: 'invalid_idempotent_request' }
    await sdk.refuse('emails.send', [{ ...HELLO, to, subject: 'Other' }, key], other)
  }
  await sdk.refuse('emails.send', [{ ...HELLO, to: 'nobody' }], { statusCode: 422, name: 'validation_error' })
  await sdk.refuse('emails.send', [{ ...HELLO }], { statusCode: 422, name: 'missing_required_field' })
  await sdk.refuse('emails.get', [NOBODY], UNKNOWN)
  await sdk.refuse('emails.share', [id, { expiresIn: '3 days' }], { statusCode: 422, name: 'validation_error' })
}

async function schedule(sdk: SdkTrial) {
  if (sdk.major < 4) return
  const scheduled = await sdk.call('emails.send', [{ ...HELLO, to: freshAddress('later'), scheduledAt: 'in 1 hour' }])
  const { id } = scheduled ?? {}
  await sdk.call('emails.update', [{ id, scheduledAt: inHours(24) }], { object: 'email', id })
  await sdk.call('emails.get', [id], { last_event: 'scheduled', scheduled_at: /^\d{4}-/ })
  await sdk.call('emails.cancel', [id], { object: 'email', id })
  await sdk.call('emails.get', [id], { last_event: 'canceled' })
  await sdk.refuse('emails.cancel', [NOBODY], UNKNOWN)
}

async function attach(sdk: SdkTrial) {
  const inline = sdk.major >= 6 ? { contentId: 'logo', contentType: 'image/png' } : {}
  const sent = await sdk.call('emails.send', [
    {
      ...HELLO,
      to: freshAddress('files'),
      html: '<img src="cid:logo">',
      attachments: [
        { filename: 'a.txt', content: Buffer.from('from a buffer') },
        { filename: 'b.txt', content: Buffer.from('from base64').toString('base64') },
        { filename: 'logo.png', content: PNG, ...inline },
      ],
    },
  ])
  const emailId = sent?.id
  const list = await sdk.call('emails.attachments.list', [{ emailId }], { data: (all: unknown[]) => all.length === 3 })
  for (const { id } of list?.data ?? [])
    await sdk.call('emails.attachments.get', [{ emailId, id }], { object: 'attachment', id, download_url: /^http/ })
  await sdk.refuse('emails.attachments.get', [{ emailId, id: NOBODY }], UNKNOWN)
}

async function batch(sdk: SdkTrial) {
  const good = { ...HELLO, to: freshAddress('one') }
  const bad = { ...HELLO, to: 'nobody' }
  const two = (all: unknown) => Array.isArray(all) && all.length === 2
  await sdk.call('batch.send', [[good, { ...HELLO, to: [freshAddress('two')] }]], { data: two })
  await sdk.call('batch.create', [[good, good]], { data: two })
  await sdk.refuse('batch.send', [[good, bad]], { statusCode: 422, name: 'validation_error' })
  if (sdk.isModern)
    await sdk.call('batch.create', [[good, bad], { batchValidation: 'permissive' }], { errors: { 0: { index: 1 } } })
}

async function receive(sdk: SdkTrial) {
  if (!sdk.has('emails.receiving.list')) return
  const subject = await sdk.world.receive()
  const list = await sdk.call('emails.receiving.list', [{ limit: 1 }], { data: { 0: { subject } } })
  await sdk.call('emails.receiving.list', [])
  const emailId = list?.data[0]?.id
  await sdk.call('emails.receiving.get', [emailId], {
    subject,
    html: /data:image\/png/,
    text: /Hi/,
    raw: { download_url: /^http/ },
  })
  await sdk.call(
    'emails.receiving.get',
    [emailId, { html_format: 'cid' }],
    sdk.has('usage.get') ? { html: /cid:logo/ } : {},
  )
  const files = await sdk.call('emails.receiving.attachments.list', [{ emailId }], {
    data: (all: unknown[]) => all.length === 2,
  })
  for (const { id } of files?.data ?? [])
    await sdk.call('emails.receiving.attachments.get', [{ emailId, id }], { object: 'attachment', id })
  for (const passthrough of [true, false]) {
    const forward = { emailId, to: freshAddress('bob'), from: 'me@acme.example', passthrough }
    await sdk.call('emails.receiving.forward', [forward], { id: /-/ })
  }
  await sdk.call('emails.share', [emailId], { url: /^http/ })
  await sdk.refuse('emails.receiving.get', [NOBODY], UNKNOWN)
}

async function broadcast(sdk: SdkTrial) {
  if (!sdk.has('broadcasts.create')) return
  const people = sdk.isModern ? 'segments' : 'audiences'
  const group = await sdk.call(`${people}.create`, [{ name: 'Readers' }])
  const target = sdk.isModern ? { segmentId: group?.id } : { audienceId: group?.id }
  await sdk.world.ask('POST', `/audiences/${group?.id}/contacts`, { email: freshAddress('reader'), first_name: 'Ada' })
  const letter = { from: 'news@acme.example', subject: 'Hi {{{FIRST_NAME|there}}}', html: '<p>News</p>', ...target }
  const { id } = (await sdk.call('broadcasts.create', [{ ...letter, name: 'May', previewText: 'Psst' }])) ?? {}
  await sdk.call('broadcasts.get', [id], { name: 'May', status: 'draft' })
  await sdk.call('broadcasts.update', [id, { name: 'June' }], { id })
  await sdk.call('broadcasts.list', [])
  const copy = await sdk.call('broadcasts.duplicate', [id])
  await sdk.call('broadcasts.remove', [copy?.id ?? (await sdk.call('broadcasts.create', [letter]))?.id], {
    deleted: true,
  })
  await sdk.call('broadcasts.send', [id, { scheduledAt: 'in 1 hour' }], { id })
  await sdk.call('broadcasts.cancel', [id], { id })
  const sent = await sdk.call('broadcasts.create', [letter])
  await sdk.call('broadcasts.send', [sent?.id], { id: sent?.id })
  await until(async () => (await sdk.world.ask('GET', `/broadcasts/${sent?.id}`)).status === 'sent')
  await sdk.call('broadcasts.get', [sent?.id], { status: 'sent' })
  for (const type of ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed', 'suppressed'])
    await sdk.call('broadcasts.recipients', [sent?.id, { type }], { object: 'list' })
  await sdk.call('broadcasts.clickedLinks', [sent?.id, { limit: 5 }], { object: 'list' })
  await sdk.refuse('broadcasts.get', [NOBODY], UNKNOWN)
  await sdk.refuse('broadcasts.cancel', [sent?.id], { statusCode: 422, name: 'validation_error' })
}
