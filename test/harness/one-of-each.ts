import { createTransport } from 'nodemailer'
import type { Dashboard } from './dashboard.ts'

/** One of each thing that the dashboard has a page for. */
export async function makeOneOfEach({ service, post }: Dashboard) {
  const segment = await post('/segments', { name: 'Readers' })
  await post('/contacts', { email: 'ada@example.com', segments: [{ id: segment.id }] })
  await post('/topics', { name: 'News' })
  await post('/domains', { name: 'example.com', dkim: 'ed25519' })
  const template = await post('/templates', { name: 'Welcome', html: '<h1>Hello {{{NAME|there}}}</h1>' })
  await post(`/templates/${template.id}/publish`)
  await post('/events', { name: 'user.created', schema: { plan: 'string' } })
  const automation = await post('/automations', {
    name: 'Series',
    steps: [
      { key: 'start', type: 'trigger', config: { event_name: 'user.created' } },
      { key: 'mail', type: 'send_email', config: { template: { id: template.id } } },
      { key: 'opened', type: 'wait_for_event', config: { event_name: 'resend:email.opened', timeout: '3 days' } },
      { key: 'reader', type: 'add_to_segment', config: { segment_id: segment.id } },
    ],
    connections: [
      { from: 'start', to: 'mail' },
      { from: 'mail', to: 'opened' },
      { from: 'opened', to: 'reader', type: 'event_received' },
      { from: 'opened', to: 'reader', type: 'timeout' },
    ],
  })
  await post(`/automations/${automation.id}/test`, { to: 'me@example.com' })
  await post('/webhooks', { endpoint: 'http://127.0.0.1:1/', events: ['email.sent'] })
  const letter = { from: 'news@example.com', subject: 'News', html: '<h1>News</h1>' }
  await post('/broadcasts', { ...letter, name: 'Draft', segment_id: segment.id })
  await post('/broadcasts', { ...letter, name: 'Sent', segment_id: segment.id, send: true })
  await post('/emails', { from: 'a@example.com', to: 'b@example.com', subject: 'Hi', html: '<h1>Hi</h1>' })
  await createTransport({ host: '127.0.0.1', port: service.smtpPort, ignoreTLS: true }).sendMail({
    from: 'ada@elsewhere.example',
    to: 'desk@inbox.example',
    subject: 'A question',
    html: '<h1>Hello</h1>',
  })
  await service.stored(async () => (await service.call('GET', '/emails/receiving')).body.data.length > 0)
}
