import { MailpitClient } from 'mailpit-api'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { startMailServer } from '../harness/mail-server.ts'
import { Service } from '../harness/service.ts'

// The published client of Mailpit against the service as its user starts it: nothing but the ports has changed.

const HTML = '<p style="display:grid">Your code is 1234</p><a href="http://127.0.0.1:1/gone">Go</a>'

test('each method of the client does what it does with Mailpit', async () => {
  const relay = await startMailServer()
  const service = await Service.start({ settings: { POSTWREN_RELAY_URL: `smtp://127.0.0.1:${relay.port}` } })
  const used = new Set<PropertyKey>()
  const mailpit = new Proxy(new MailpitClient(service.url), {
    get(client, name) {
      used.add(name)
      const member = Reflect.get(client, name)
      return typeof member === 'function' ? member.bind(client) : member
    },
  })
  const smtp = createTransport({ host: '127.0.0.1', port: service.smtpPort, tls: { rejectUnauthorized: false } })

  // By SMTP without a login, and with one that means nothing, as tests of applications have it.
  await smtp.sendMail({
    from: 'app@shop.example',
    to: 'ada@example.com',
    subject: 'Welcome',
    text: 'Hello',
    html: HTML,
  })
  const welcome = await mailpit.waitForMessage({ query: 'to:ada@example.com' })
  expect(welcome).toMatchObject({ Subject: 'Welcome', From: { Address: 'app@shop.example' }, HTML })
  await expect(mailpit.waitForMessage({ query: 'to:da@example.com' }, { timeout: 50, interval: 10 })).rejects.toThrow(
    'Timeout',
  )

  const picture = Buffer.from('iVBORw0KGgo=', 'base64')
  const { ID } = await mailpit.sendMessage({
    From: { Email: 'shop@shop.example', Name: 'Shop' },
    To: [{ Email: 'bob@example.com', Name: 'Bob' }],
    ...{ Subject: 'Your order', Text: 'Thank you', HTML, Tags: ['Orders'] },
    Headers: { 'List-Unsubscribe': '<https://shop.example/bye>' },
    Attachments: [{ Filename: 'logo.png', ContentType: 'image/png', Content: picture.toString('base64') }],
  })
  const list = await mailpit.waitForMessages({ count: 2, exact: true })
  expect(list.messages.map(({ ID }) => ID)).toEqual([ID, welcome.ID])
  expect((await mailpit.listMessages(1, 1)).messages).toMatchObject([{ ID: welcome.ID, Read: true }])
  expect(await mailpit.searchMessages({ query: 'subject:order is:unread' })).toMatchObject({
    messages_count: 1,
    total: 2,
  })

  const order = await mailpit.getMessageSummary()
  expect(order).toMatchObject({ ID, Tags: ['Orders'], ListUnsubscribe: { Links: ['https://shop.example/bye'] } })
  const [file] = order.Attachments
  expect(file).toMatchObject({ FileName: 'logo.png', Size: picture.length })
  for (const blob of [
    await mailpit.getMessageAttachment(ID, file!.PartID),
    await mailpit.getAttachmentThumbnail(ID, file!.PartID),
  ])
    expect(Buffer.from(await blob.arrayBuffer()).equals(picture)).toBe(true)
  expect((await mailpit.getMessageHeaders(ID)).Subject).toEqual(['Your order'])
  expect(await mailpit.getMessageSource(ID)).toContain('Subject: Your order')
  expect(await mailpit.renderMessageHTML(ID)).toBe(HTML)
  expect(await mailpit.renderMessageText(ID)).toBe('Thank you')
  // As cypress-mailpit writes it.
  expect(await (await fetch(`${service.url}//view/${ID}.html`)).text()).toBe(HTML)

  expect((await mailpit.htmlCheck(ID)).Warnings.map(({ Slug }) => Slug)).toContain('css-display-grid')
  expect(await mailpit.linkCheck(ID)).toMatchObject({ Errors: 1, Links: [{ URL: 'http://127.0.0.1:1/gone' }] })
  expect(await mailpit.spamAssassinCheck(ID)).toMatchObject({ IsSpam: false, Error: expect.stringContaining('SPAMD') })

  expect(await mailpit.setReadStatus({ IDs: [ID], Read: false })).toBe('ok')
  expect((await mailpit.getInfo()).Unread).toBe(1)
  expect(await mailpit.setTags({ IDs: [welcome.ID], Tags: ['New'] })).toBe('ok')
  expect(await mailpit.renameTag('New', 'Old / new')).toBe('ok')
  expect(await mailpit.getTags()).toEqual(['Old / new', 'Orders'])
  expect(await mailpit.deleteTag('Old / new')).toBe('ok')
  expect((await mailpit.getInfo()).Tags).toEqual({ Orders: 1 })

  expect((await mailpit.getConfiguration()).MessageRelay).toMatchObject({
    Enabled: true,
    SMTPServer: `127.0.0.1:${relay.port}`,
  })
  expect(await mailpit.releaseMessage(ID, { To: ['real@example.org'] })).toBe('ok')
  expect(relay.messages).toMatchObject([{ to: ['real@example.org'] }])

  await mailpit.setChaosTriggers({ Recipient: { ErrorCode: 452, Probability: 100 } })
  await expect(smtp.sendMail({ from: 'app@shop.example', to: 'ada@example.com', text: 'No' })).rejects.toThrow('452')
  await mailpit.setChaosTriggers()
  expect((await mailpit.getChaosTriggers()).Recipient.Probability).toBe(0)

  expect(await mailpit.deleteMessagesBySearch({ query: 'to:ada@example.com' })).toBe('ok')
  expect((await mailpit.listMessages()).messages.map(({ ID }) => ID)).toEqual([ID])
  expect(await mailpit.deleteMessages()).toBe('ok')
  expect((await mailpit.listMessages()).total).toBe(0)
  await expect(mailpit.getMessageSummary(ID)).rejects.toThrow('{"Error":"Message not found"}')

  const methods = Object.getOwnPropertyNames(MailpitClient.prototype)
  expect(methods.filter((name) => !used.has(name) && !['constructor', 'request'].includes(name))).toEqual([])
  const withKey = new MailpitClient(service.url, { auth: { username: 'any', password: service.token } })
  expect((await withKey.listMessages()).total).toBe(0)
})
