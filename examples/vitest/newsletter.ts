import { Resend } from 'resend'

/** What is tested: it welcomes new readers, with a file, and lets them leave with one click. */
export async function welcome(to: string, { resend = new Resend(), from }: { resend?: Resend; from: string }) {
  const { error } = await resend.emails.send({
    from,
    to,
    subject: 'Welcome to the newsletter',
    text: 'The first issue is attached. Read on: https://news.example/issues/1',
    headers: {
      'List-Unsubscribe': '<https://news.example/leave>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    attachments: [{ filename: 'issue-1.txt', content: Buffer.from('News!') }],
  })
  if (error) throw new Error(error.message)
}
