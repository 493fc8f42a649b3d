import { expect, test } from 'vitest'
import { sendEmail, startAcme } from '../../../test/harness/emails.ts'

test('emails are counted by tag and by the domain that they went to', async () => {
  const { app, acme } = await startAcme()
  const globex = await app.as('globex')
  const tags = (value: string) => [
    { name: 'category', value },
    { name: 'env', value: 'test' },
  ]
  await sendEmail(acme, { to: 'delivered@resend.dev', tags: tags('welcome') })
  await sendEmail(acme, { to: 'bounced@resend.dev', tags: tags('welcome') })
  await sendEmail(acme, { to: 'ada@example.com', tags: tags('receipt') })
  await sendEmail(acme, { to: ['Grace@Example.com', 'ada@example.com'] })
  await sendEmail(globex, { to: 'ada@example.com', tags: tags('theirs') })
  await app.deliverDue()
  app.clock.advance(60)

  const by = async (name: string) => (await acme.get(`/emails/metrics/breakdown?by=${name}`)).body

  const tagged = await by('tag')
  expect(tagged).toMatchObject({ object: 'metrics_breakdown', by: 'tag', is_complete: true })
  expect(tagged.data).toMatchObject([
    { value: 'env=test', sent: 3, delivered: 2, bounced: 1, bounce_rate: 33.33 },
    { value: 'category=welcome', sent: 2, delivered: 1, bounced: 1, delivery_rate: 50 },
    { value: 'category=receipt', sent: 1, delivered: 1 },
  ])
  expect((await by('recipient_domain')).data).toMatchObject([
    { value: 'example.com', sent: 2, delivered: 2 },
    { value: 'resend.dev', sent: 2, bounced: 1 },
  ])
  expect((await acme.get('/emails/metrics/breakdown?by=subject')).status).toBe(422)
  expect((await acme.get('/emails/metrics/breakdown?by=tag&start_date=2026-13-01')).status).toBe(422)
})

test('emails are counted by the provider of their recipients, where that is a large one', async () => {
  const { app, acme } = await startAcme()
  await sendEmail(acme, { to: 'ada@gmail.com' })
  await sendEmail(acme, { to: ['bob@GoogleMail.com', 'cy@gmail.com'] })
  await sendEmail(acme, { to: 'eve@hotmail.co.uk' })
  await sendEmail(acme, { to: 'ada@example.com' })
  await app.deliverDue()
  app.clock.advance(60)

  expect((await acme.get('/emails/metrics/breakdown?by=provider')).body.data).toMatchObject([
    { value: 'gmail', sent: 2, delivered: 2, complaint_rate: 0 },
    { value: 'example.com', sent: 1 },
    { value: 'outlook', sent: 1 },
  ])
})

test('emails outside of the range do not count', async () => {
  const { app, acme } = await startAcme()
  await sendEmail(acme, { to: 'ada@example.com' })
  await app.deliverDue()
  app.clock.advance(3 * 86_400)
  const tomorrow = new Date(app.clock.now().getTime() - 86_400_000).toISOString()

  const { body } = await acme.get(`/emails/metrics/breakdown?by=recipient_domain&start_date=${tomorrow}`)

  expect(body.data).toEqual([])
})
