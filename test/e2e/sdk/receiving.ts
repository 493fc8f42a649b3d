import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { NOBODY, type SdkContext } from './context.ts'

export function receivingTests(context: SdkContext & { readonly smtpPort: number }) {
  test('mail that arrives by SMTP is listed, shown, downloaded and forwarded', async () => {
    const { receiving } = context.resend.emails
    const transport = createTransport({ host: '127.0.0.1', port: context.smtpPort, tls: { rejectUnauthorized: false } })

    await transport.sendMail({
      from: 'Ada <ada@elsewhere.example>',
      to: 'desk@inbox.example',
      subject: 'Grüße',
      text: 'Hi',
      html: '<p>Hi <img src="cid:logo"></p>',
      attachments: [
        { filename: 'notes.txt', content: 'hello' },
        { filename: 'logo.png', content: 'png', cid: 'logo' },
      ],
    })

    const newest = async () => (await receiving.list({ limit: 1 })).data?.data[0]
    // It is read before it is on the list, which can take a moment on a busy machine.
    await expect
      .poll(newest, { timeout: 20_000 })
      .toMatchObject({ from: 'Ada <ada@elsewhere.example>', subject: 'Grüße' })
    const { id } = (await newest())!
    const mail = await dataOf(receiving.get(id))
    expect(mail).toMatchObject({ object: 'email', id, text: expect.stringContaining('Hi') })
    expect(mail.html).toContain('data:image/png;base64,')
    const { data } = await dataOf(receiving.attachments.list({ emailId: id }))
    expect(data.map(({ filename }) => filename).sort()).toEqual(['logo.png', 'notes.txt'])
    const notes = data.find(({ filename }) => filename === 'notes.txt')!
    expect((await dataOf(receiving.attachments.get({ emailId: id, id: notes.id }))).object).toBe('attachment')
    expect(await (await fetch(notes.download_url)).text()).toBe('hello')

    for (const passthrough of [true, false]) {
      const words = { emailId: id, to: 'bob@example.com', from: 'me@acme.example', passthrough }
      const forwarded = await dataOf(receiving.forward(words as Parameters<typeof receiving.forward>[0]))
      const copy = await dataOf(context.resend.emails.get(forwarded.id))
      expect(copy.subject).toBe(passthrough ? 'Grüße' : 'Fwd: Grüße')
    }
    expect(await errorOf(context.neighbour.emails.receiving.get(id))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(receiving.get(NOBODY))).toMatchObject({ statusCode: 404, message: 'Email not found' })
  })
}
