import { found, Problem } from '../../kernel/http/problem.ts'
import { IdParams } from '../../kernel/http/shapes.ts'
import { TooLong } from '../../mail/templates.ts'
import { endpoint } from '../definitions.ts'
import { loadEmail } from './delivery/ledger/load.ts'
import { buildMessage } from './delivery/message/build.ts'
import { Contents } from './delivery/message/contents.ts'
import { UNSUBSCRIBE_PATH } from './delivery/message/unsubscribe-link.ts'
import { EmailSource } from './schema.ts'
import { asWritten, beginningOf, SHOWN_SUBMITTED_BYTES } from './source-parts.ts'

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
  access: 'content',
  route: 'GET /emails/:id/source',
  summary: 'Retrieve the source of a sent email',
  params: IdParams,
  reply: EmailSource,
  async run({ params, services, actor }) {
    const email = found(await loadEmail(services.db, actor.team, params.id), 'Email')
    const content = asWritten(await new Contents(services.db).load(email))
    const build = { content, recipient: email.to[0] ?? '', signature: UNSIGNED }
    const message = await buildMessage(email, build, {
      clock: services.clock,
      contentOf: (blob) =>
        beginningOf(services, blob, blob === content.submitted?.blob ? SHOWN_SUBMITTED_BYTES : SHOWN_BYTES),
      // Each recipient has their own way out, and this one is for nobody.
      unsubscribeUrl: () => new URL(`${services.publicUrl()}${UNSUBSCRIBE_PATH}/…`),
    }).catch((error) => {
      if (error instanceof TooLong) throw new Problem('validation_error', 'The email is too large to be built.')
      throw error
    })
    return { object: 'email_source' as const, id: params.id, source: message.toString('latin1') }
  },
})
