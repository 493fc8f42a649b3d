import { type Sandbox, sandbox } from 'postwren/testing'
import { Resend } from 'resend'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { welcome } from './newsletter.ts'

let box: Sandbox
let by: { resend: Resend; from: string }

beforeEach(async () => {
  box = await sandbox()
  by = { resend: new Resend(box.apiKey, { baseUrl: box.url }), from: `news@${box.domain}` }
})
afterEach(() => box.delete())

test('a new reader gets the first issue', async () => {
  await welcome('ada@example.com', by)

  const mail = await box.inbox.waitFor({ to: 'ada@example.com' })
  expect(mail).toHaveSubject('Welcome to the newsletter')
  expect(mail).toHaveLink('news.example/issues')
  expect(mail).toHaveAttachment('issue-1.txt')
  expect(mail.unsubscribe).toMatchObject({ url: 'https://news.example/leave', one_click: true })
})

test('nobody else does', async () => {
  await welcome('ada@example.com', by)

  await box.inbox.waitFor({ to: 'ada@example.com' })
  await box.inbox.expectNone({ to: 'grace@example.com' })
})

test('a full mailbox gets it two hours later', async () => {
  await box.scenario.set([{ match: { attempt: { at_most: 1 } }, outcome: { reply: '452 4.2.2 mailbox full' } }])
  await welcome('ada@example.com', by)

  const { happened } = await box.clock.advance('2 hours')

  expect(happened.map(({ type }) => type)).toContain('email.delivered')
})
