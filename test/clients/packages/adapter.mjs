// `node adapter.mjs NAME`: does what the cases of one adapter say, and prints of each what must have become of it.
import { join } from 'node:path'

const { RESEND_API_KEY: token, RESEND_BASE_URL: url, SMTP_PORT: smtpPort, RUN: run } = process.env
const { default: cases } = await import(join(import.meta.dirname, 'adapters', `${process.argv[2]}.mjs`))
let number = 0
const subject = () => `${process.argv[2]} ${run} ${++number}`

for (const [call, act] of Object.entries(cases({ token, url, smtpPort: Number(smtpPort), subject }))) {
  try {
    console.log(JSON.stringify({ call, expected: await act() }))
  } catch (error) {
    console.log(JSON.stringify({ call, error: `${error.message} ${error.cause?.message ?? ''}` }))
  }
}
process.exit(0)
