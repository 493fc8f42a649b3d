import type { Score } from '../score.ts'
import { fresh, freshAddress, NOBODY, until, type World } from '../world.ts'
import { tryAutomations } from './automations.ts'
import { tryEditor } from './editor.ts'
import { ID, startTrial } from './trial.ts'

/** The MCP server: every tool that it offers. */
export async function tryMcp(world: World): Promise<Score[]> {
  const trial = await startTrial(world)
  const { call, make, refuse } = trial

  const audience = async () => {
    const segmentId = await make('create-segment', { name: 'Readers' })
    await call('list-segments', { limit: 5 }, /Readers/)
    await call('get-segment', { id: segmentId }, /Readers/)
    await call('update-segment', { id: segmentId, name: 'Owls' })
    const topicId = await make('create-topic', { name: 'News', defaultSubscription: 'opt_in', description: 'All' })
    await call('list-topics', {}, /News/)
    await call('get-topic', { id: topicId }, /News/)
    await call('update-topic', { id: topicId, name: 'Olds' })
    const key = fresh('mcp').replace('-', '_')
    const property = await make('create-contact-property', { key, type: 'string', fallbackValue: 'x' })
    await call('list-contact-properties', {}, new RegExp(key))
    await call('get-contact-property', { contactPropertyId: property }, new RegExp(key))
    await call('update-contact-property', { contactPropertyId: property, fallbackValue: 'y' })
    const email = freshAddress('mcp')
    const words = { email, firstName: 'Ada', properties: { [key]: 'z' }, segmentIds: [segmentId] }
    const id = await make('create-contact', { ...words, topics: [{ id: topicId, subscription: 'opt_in' }] })
    await call('list-contacts', { limit: 5 }, /@/)
    await call('list-contacts', { segmentId }, new RegExp(email))
    await call('get-contact', { email }, /Ada/)
    await call('update-contact', { id, lastName: 'Lovelace', unsubscribed: true })
    await call('list-contact-segments', { email }, /Owls/)
    await call('remove-contact-from-segment', { email, segmentId })
    await call('add-contact-to-segment', { contactId: id, segmentId })
    await call('update-contact-topics', { id, topics: [{ id: topicId, subscription: 'opt_out' }] })
    await call('list-contact-topics', { email }, /opt_out/)
    const imported = await make('create-contact-import', {
      content: `email\n${freshAddress('csv')}\n`,
      filename: 'a.csv',
    })
    await call('get-contact-import', { id: imported })
    await call('list-contact-imports', {})
    await call('remove-contact', { email })
    await refuse('get-contact', { email }, /Contact not found/)
    await call('remove-contact-property', { contactPropertyId: property })
    await call('remove-topic', { id: topicId })
    return segmentId
  }

  const emails = async () => {
    const hello = {
      from: 'Acme <me@acme.example>',
      to: [freshAddress('you')],
      subject: 'Hello',
      text: 'Hi',
      replyTo: [],
    }
    const id = await make('send-email', hello)
    const file = { filename: 'a.txt', content: Buffer.from('hello').toString('base64') }
    const files = await make('send-email', {
      ...hello,
      html: '<p>Hi</p>',
      attachments: [file],
      tags: [{ name: 'a', value: 'b' }],
    })
    const later = await make('send-email', { ...hello, scheduledAt: 'in 1 hour' })
    await call('list-emails', { limit: 5 }, /Hello/)
    await call('get-email', { id }, /Hello/)
    await call('update-email', { id: later, scheduledAt: new Date(Date.now() + 86_400_000).toISOString() })
    await call('cancel-email', { id: later })
    await call('share-email', { id, expiresIn: '1h' }, /http/)
    await call('get-email-metrics', {})
    await call('get-email-metrics', { dimensions: ['period'], granularity: 'daily', metrics: ['sent'] })
    const list = await call('list-sent-email-attachments', { emailId: files }, /a\.txt/)
    await call('get-sent-email-attachment', { emailId: files, id: ID.exec(list)?.[0] }, /http/)
    await call('send-batch-emails', { emails: [{ ...hello, replyTo: undefined }] }, ID)
    const subject = await world.receive()
    await call('list-received-emails', { limit: 1 }, new RegExp(subject))
    const [{ id: emailId }] = (await world.ask('GET', '/emails/receiving?limit=1')).data
    await call('get-received-email', { id: emailId }, new RegExp(subject))
    await call('list-received-email-attachments', { emailId }, /notes\.txt/)
    const [{ id: part }] = (await world.ask('GET', `/emails/receiving/${emailId}/attachments`)).data
    await call('get-received-email-attachment', { emailId, id: part }, /http/)
    await refuse('get-email', { id: NOBODY }, /Email not found/)
  }

  const broadcasts = async (segmentId: string) => {
    const letter = {
      name: 'May',
      segmentId,
      subject: 'News',
      html: '<p>News</p>',
      text: 'News',
      from: 'me@acme.example',
    }
    const broadcastId = await make('create-broadcast', letter)
    await call('list-broadcasts', {}, /May/)
    await call('get-broadcast', { broadcastId }, /News/)
    await call('update-broadcast', { broadcastId, name: 'June', replyTo: ['help@acme.example'] })
    await call('get-broadcast', { broadcastId }, /June/)
    const copy = ID.exec((await call('duplicate-broadcast', { broadcastId })).replace(broadcastId, ''))?.[0] ?? NOBODY
    await call('remove-broadcast', { broadcastId: copy })
    await call('send-broadcast', { broadcastId, scheduledAt: 'in 1 hour' })
    await call('cancel-broadcast', { broadcastId })
    await call('send-broadcast', { broadcastId })
    await until(async () => (await world.ask('GET', `/broadcasts/${broadcastId}`)).status === 'sent')
    await call('list-broadcast-recipients', { broadcastId, type: 'sent' })
    await call('list-broadcast-clicked-links', { broadcastId })
    await call('remove-segment', { id: segmentId })
  }

  const settings = async () => {
    const name = `${fresh('mcp')}.example`
    const domain = await make('create-domain', {
      name,
      region: 'eu-west-1',
      openTracking: true,
      trackingSubdomain: 'links',
    })
    await call('list-domains', {}, new RegExp(name))
    await call('get-domain', { id: domain }, new RegExp(name))
    await call('update-domain', { id: domain, tls: 'enforced', capabilities: { receiving: 'enabled' } })
    await call('verify-domain', { id: domain })
    await call('remove-domain', { id: domain })
    const claimed = `${fresh('claimed')}.example`
    await world.ask('POST', '/domains', { name: claimed }, world.neighbour)
    await call('create-domain-claim', { name: claimed }, /postwren|verification|TXT/i)
    const { data } = await world.ask('GET', '/domains')
    const placeholder = data.find((one: { name: string }) => one.name === claimed)?.id ?? NOBODY
    await call('get-domain-claim', { id: placeholder }, new RegExp(claimed))
    await call('verify-domain-claim', { id: placeholder })
    await call('create-api-key', { name: 'Server', permission: 'sending_access' }, /re_/)
    await call('list-api-keys', {}, /Server/)
    const keys = await world.ask('GET', '/api-keys')
    await call('update-api-key', { id: keys.data[0].id, name: 'Other' })
    await call('remove-api-key', { id: keys.data[0].id })
    const grant = await world.grant()
    await call('list-oauth-grants', {}, new RegExp(grant))
    await call('revoke-oauth-grant', { id: grant })
    await refuse('revoke-oauth-grant', { id: NOBODY }, /OAuth grant not found/)
    const template = await make('create-template', {
      name: 'Order',
      html: '<p>{{{NAME}}}</p>',
      subject: 'Hi',
      variables: [{ key: 'NAME', type: 'string', fallbackValue: 'you' }],
    })
    await call('list-templates', {}, /Order/)
    await call('get-template', { id: template }, /Order/)
    await call('update-template', { id: template, name: 'Orders', replyTo: 'help@acme.example' })
    await call('publish-template', { id: template })
    await call('get-template', { id: template }, /published/)
    await call('duplicate-template', { id: template }, ID)
    await call('remove-template', { id: template })
    const email = freshAddress('stop')
    await make('add-suppression', { email })
    await call('get-suppression', { idOrEmail: email }, /manual/)
    await call('list-suppressions', { origin: 'manual' }, new RegExp(email))
    await call('remove-suppression', { idOrEmail: email })
    await call('batch-add-suppressions', { emails: [freshAddress('stop'), email] })
    await call('batch-remove-suppressions', { emails: [email] })
    const logs = await call('list-logs', { limit: 2 }, ID)
    await call('get-log', { logId: ID.exec(logs)?.[0] }, /GET|POST|PATCH|DELETE/)
  }

  const webhooks = async () => {
    const webhookId = await make('create-webhook', {
      endpoint: world.hookUrl,
      events: ['suppression.added', 'email.sent'],
    })
    await world.ask('POST', '/suppressions', { email: freshAddress('hook') })
    await until(async () => (await world.ask('GET', `/webhooks/${webhookId}/events`)).data[0]?.status === 'success')
    await call('list-webhooks', {}, /suppression\.added/)
    await call('get-webhook', { webhookId }, /suppression\.added/)
    const log = await call('list-webhook-events', { webhookId }, /msg_/)
    const eventId = /msg_[\w-]+/.exec(log)?.[0]
    await call('get-webhook-event', { webhookId, eventId }, /suppression\.added/)
    await call('list-webhook-event-attempts', { webhookId, eventId }, /200/)
    await call('replay-webhook-event', { webhookId, eventId })
    await call('rotate-webhook-signing-secret', { webhookId }, /whsec_/)
    await call('update-webhook', { webhookId, status: 'disabled' })
    await call('remove-webhook', { webhookId })
  }

  await emails()
  await broadcasts(await audience())
  await settings()
  await webhooks()
  await tryAutomations(trial)
  await tryEditor(trial)
  return [await trial.finish()]
}
