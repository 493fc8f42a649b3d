import { fresh, NOBODY, until } from '../world.ts'
import type { SdkTrial } from './trial.ts'

const UNKNOWN = { statusCode: 404, name: 'not_found' }

export async function trySettings(sdk: SdkTrial) {
  await domains(sdk)
  await claims(sdk)
  await keys(sdk)
  await grants(sdk)
  await templates(sdk)
  await webhooks(sdk)
  await logs(sdk)
}

async function domains(sdk: SdkTrial) {
  const name = `${fresh('sdk')}.example`
  const { id } =
    (await sdk.call('domains.create', [{ name, region: 'us-east-1' }], { name, records: Array.isArray })) ?? {}
  await sdk.call('domains.get', [id], { object: 'domain', id, name })
  await sdk.call('domains.update', [{ id, openTracking: true, clickTracking: true, tls: 'enforced' }], {
    object: 'domain',
    id,
  })
  await sdk.call('domains.list', [], sdk.major < 1 ? { 0: { id } } : { data: { 0: { id, name } } })
  await sdk.call('domains.verify', [id], { object: 'domain', id })
  await sdk.call('domains.get', [id], { status: 'pending' })
  await sdk.refuse('domains.create', [{ name }], { statusCode: 403, name: 'validation_error' })
  await sdk.call('domains.remove', [id], { object: 'domain', id, deleted: true })
  await sdk.refuse('domains.get', [id], UNKNOWN)
  if (!sdk.has('domains.claims.create')) return
  const all = {
    name: `${fresh('all')}.example`,
    region: 'eu-west-1',
    customReturnPath: 'bounces',
    trackingSubdomain: 'links',
    openTracking: true,
    clickTracking: true,
    tls: 'opportunistic',
    capabilities: { sending: 'enabled', receiving: 'enabled' },
  }
  const full = await sdk.call('domains.create', [all], { capabilities: { receiving: 'enabled' } })
  await sdk.call('domains.get', [full?.id], { tracking_subdomain: 'links' })
}

async function claims(sdk: SdkTrial) {
  if (!sdk.has('domains.claims.create')) return
  const name = `${fresh('claimed')}.example`
  await sdk.world.ask('POST', '/domains', { name }, sdk.world.neighbour)
  const claim = await sdk.call('domains.claims.create', [{ name }], { object: 'domain_claim', status: 'pending' })
  await sdk.call('domains.claims.get', [claim?.domain_id], { id: claim?.id })
  await sdk.call('domains.claims.verify', [claim?.domain_id], { id: claim?.id })
  await sdk.refuse('domains.claims.get', [NOBODY], UNKNOWN)
}

async function keys(sdk: SdkTrial) {
  const { id } = (await sdk.call('apiKeys.create', [{ name: 'Server' }], { token: /^re_/ })) ?? {}
  await sdk.call('apiKeys.create', [{ name: 'Sender', permission: 'sending_access' }], { token: /^re_/ })
  await sdk.call('apiKeys.list', [])
  await sdk.call('apiKeys.update', [id, { name: 'Other' }], { id })
  await sdk.call('apiKeys.remove', [id])
  await sdk.refuse('apiKeys.remove', [NOBODY], UNKNOWN)
}

/** What programs people let in needs people: `src/features/oauth` has the rest. */
async function grants(sdk: SdkTrial) {
  if (!sdk.has('oauthGrants.list')) return
  await sdk.call('oauthGrants.list', [], { object: 'list', data: Array.isArray })
  await sdk.refuse('oauthGrants.revoke', [NOBODY], UNKNOWN)
}

async function templates(sdk: SdkTrial) {
  if (!sdk.has('templates.create')) return
  const alias = fresh('order')
  const whole = {
    name: 'Order',
    alias,
    from: 'shop@acme.example',
    subject: 'Order {{{NUMBER}}}',
    replyTo: 'help@acme.example',
    html: '<p>{{{NUMBER}}} {{{NAME}}}</p>',
    variables: [
      { key: 'NUMBER', type: 'number' },
      { key: 'NAME', type: 'string', fallbackValue: 'you' },
    ],
  }
  const { id } = (await sdk.call('templates.create', [whole], { object: 'template' })) ?? {}
  const bare = await sdk.call('templates.create', [{ name: 'Bare', html: '<p>Bare</p>' }])
  await sdk.call('templates.get', [bare?.id], { status: 'draft', alias: null })
  await sdk.call('templates.get', [alias], { id, status: 'draft', published_at: null })
  await sdk.call('templates.update', [alias, { text: 'Order {{{NUMBER}}}' }], { id })
  await sdk.call('templates.publish', [alias], { id })
  await sdk.call('templates.get', [id], { status: 'published', has_unpublished_versions: false })
  await sdk.call('templates.list', [], { data: (all: { id: string }[]) => all.some((one) => one.id === id) })
  const sent = await sdk.call('emails.send', [
    { to: 'reader@example.com', template: { id: alias, variables: { NUMBER: 7 } } },
  ])
  await sdk.call('emails.get', [sent?.id], { subject: 'Order 7', html: '<p>7 you</p>' })
  const copy = await sdk.call('templates.duplicate', [id])
  await sdk.call('templates.remove', [copy?.id], { id: copy?.id, deleted: true })
  await sdk.refuse('templates.get', [NOBODY], UNKNOWN)
}

async function webhooks(sdk: SdkTrial) {
  if (!sdk.has('webhooks.create')) return
  const { hookUrl } = sdk.world
  // 19 kinds of a program's life, each of which the types of a logged event describe.
  const events = [
    'email.sent',
    'email.delivered',
    'email.scheduled',
    'email.bounced',
    'email.suppressed',
    'email.complained',
    'email.received',
    'contact.created',
    'contact.updated',
    'contact.deleted',
    'domain.created',
    'domain.updated',
    'domain.deleted',
    ...(sdk.has('usage.get')
      ? [
          'contact.topics.updated',
          'suppression.added',
          'suppression.removed',
          'topic.created',
          'topic.updated',
          'topic.deleted',
        ]
      : []),
  ]
  const made = await sdk.call('webhooks.create', [{ endpoint: hookUrl, events }], { signing_secret: /^whsec_/ })
  const webhookId = made?.id
  await sdk.call('webhooks.get', [webhookId], {
    endpoint: hookUrl,
    status: 'enabled',
    signing_secret: made?.signing_secret,
  })
  await sdk.call('webhooks.list', [], { data: { 0: { id: webhookId } } })
  if (sdk.has('webhooks.events.list')) {
    await makeNoise(sdk)
    const seen = await until(async () => {
      const log = await sdk.world.ask('GET', `/webhooks/${webhookId}/events?limit=100`)
      const kinds = new Set(log.data.map((one: { type: string }) => one.type))
      return (
        events.every((kind) => kinds.has(kind)) &&
        log.data.every((one: { status: string }) => one.status === 'success') &&
        log
      )
    })
    if (!seen) sdk.score.count('webhooks', ['not every kind of event arrived within 30 s'])
    const log = await sdk.call('webhooks.events.list', [{ webhookId, limit: 100 }], { object: 'list' })
    for (const kind of events) {
      const one = log?.data.find((event: { type: string }) => event.type === kind)
      if (one)
        await sdk.call('webhooks.events.get', [{ webhookId, eventId: one.id }], { type: kind, payload: { type: kind } })
    }
    const eventId = log?.data[0]?.id
    await sdk.call('webhooks.events.attempts.list', [{ webhookId, eventId }], {
      data: { 0: { http_status_code: 200 } },
    })
    await sdk.call('webhooks.events.replay', [{ webhookId, eventId }], { object: 'webhook_event', id: eventId })
  }
  await sdk.call('webhooks.rotateSigningSecret', [webhookId], { signing_secret: /^whsec_/ })
  await sdk.call('webhooks.update', [webhookId, { events: ['email.bounced'], status: 'disabled' }], { id: webhookId })
  await sdk.call('webhooks.remove', [webhookId], { id: webhookId, deleted: true })
  await sdk.refuse('webhooks.get', [webhookId], UNKNOWN)
}

/** One of everything that is told to webhooks. */
async function makeNoise(sdk: SdkTrial) {
  const { ask, receive } = sdk.world
  const hello = { from: 'me@acme.example', subject: 'Hello', text: 'Hi' }
  await ask('POST', '/emails', { ...hello, to: 'you@example.com', tags: [{ name: 'kind', value: 'test' }] })
  await ask('POST', '/emails', { ...hello, to: 'later@example.com', scheduled_at: 'in 1 hour' })
  for (const who of ['bounced', 'suppressed', 'complained'])
    await ask('POST', '/emails', { ...hello, to: `${who}+x@resend.dev` })
  await ask('POST', '/emails', { ...hello, to: 'suppressed@resend.dev' })
  await receive()
  const contact = await ask('POST', '/contacts', { email: `${fresh('noise')}@example.com` })
  await ask('PATCH', `/contacts/${contact.id}`, { first_name: 'Ada' })
  const topic = await ask('POST', '/topics', { name: 'Noise', default_subscription: 'opt_in' })
  await ask('PATCH', `/contacts/${contact.id}/topics`, [{ id: topic.id, subscription: 'opt_out' }])
  await ask('PATCH', `/topics/${topic.id}`, { name: 'More noise' })
  await ask('DELETE', `/topics/${topic.id}`)
  await ask('DELETE', `/contacts/${contact.id}`)
  const domain = await ask('POST', '/domains', { name: `${fresh('noise')}.example` })
  await ask('PATCH', `/domains/${domain.id}`, { tls: 'enforced' })
  await ask('POST', `/domains/${domain.id}/verify`)
  await ask('DELETE', `/domains/${domain.id}`)
  const suppression = await ask('POST', '/suppressions', { email: `${fresh('noise')}@example.com` })
  await ask('DELETE', `/suppressions/${suppression.id}`)
}

async function logs(sdk: SdkTrial) {
  if (!sdk.has('logs.list')) return
  const found = await until(async () => (await sdk.world.ask('GET', '/logs?limit=1')).data[0])
  await sdk.call('logs.list', [{ limit: 5 }], { object: 'list' })
  await sdk.call('logs.get', [found?.id], { object: 'log', id: found?.id })
  await sdk.refuse('logs.get', [NOBODY], UNKNOWN)
  await sdk.refuse('logs.get', ['1'], { statusCode: 422, name: 'invalid_parameter' })
  await sdk.call('usage.get', [], { object: 'usage' })
}
