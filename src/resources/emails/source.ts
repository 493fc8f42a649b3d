import { buildMessage } from '../../delivery/build.ts'
import { Contents } from '../../delivery/contents.ts'
import { loadEmail } from '../../delivery/load.ts'
import { type Context, endpoint } from '../../http/endpoint.ts'
import { found, Problem } from '../../http/problem.ts'
import { IdParams } from '../../http/shapes.ts'
import { TooLong } from '../../mail/templates.ts'
import { EmailSource } from './schema.ts'

/** Nobody's signature, and links that lead where they say. */
const UNSIGNED = { signers: [], trackerFor: () => null }

/** An attachment stands in the source by this much of its content; the whole of it is a download. */
const SHOWN_BYTES = 1_024

/**
 * The message as it is built for the wire, for people who want to see its headers and its parts. Without the signature, which is
 * made anew for each delivery, and with the beginnings of the attachments only.
 */
export const sourceEndpoint = endpoint({
  id: 'emails.source',
  route: 'GET /emails/:id/source',
  summary: 'Retrieve the source of a sent email',
  params: IdParams,
  reply: EmailSource,
  async run({ params, context }) {
    const email = found(await loadEmail(context.db, context.team, params.id), 'Email')
    const content = await new Contents(context.db).load(email)
    const message = await buildMessage(email, content, email.to[0] ?? '', UNSIGNED, {
      clock: context.clock,
      contentOf: (blob) => beginningOf(context, blob),
      // Each recipient has their own way out, and this one is for nobody.
      unsubscribeUrl: () => new URL(`${context.mail.publicUrl}/unsubscribe/…`),
    }).catch((error) => {
      if (error instanceof TooLong) throw new Problem('validation_error', 'The email is too long to be put together.')
      throw error
    })
    return { object: 'email_source' as const, id: params.id, source: message.toString('latin1') }
  },
})

async function beginningOf({ mail }: Context, blob: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of (await mail.contents.open(blob)) ?? []) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size >= SHOWN_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, SHOWN_BYTES)
}
