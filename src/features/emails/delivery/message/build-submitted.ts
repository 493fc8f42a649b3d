import { parseMailbox } from '../../../../mail/address.ts'
import type { Steps } from '../../../../mail/steps.ts'
import { outgoingSteps } from '../../../../mail/submitted/outgoing.ts'
import type { Tracker } from '../../../../mail/tracked-html.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import type { Content } from './contents.ts'

export interface SubmittedParts {
  readonly submitted: NonNullable<Content['submitted']>
  readonly added: readonly { readonly name: string; readonly value: string }[]
  /** Left out where the message has them. */
  readonly defaults: readonly { readonly name: string; readonly value: string }[]
  readonly tracker: Tracker | null
  /** For a server that takes nothing else. */
  readonly isSevenBit: boolean
  contentOf(blob: string): Promise<Buffer | null>
  readonly run: <Result>(steps: Steps<Result>) => Result | Promise<Result>
}

/** An email that was submitted as a message, as it leaves. */
export async function buildSubmitted(email: LoadedEmail, parts: SubmittedParts): Promise<Buffer> {
  const { submitted, added, defaults, tracker, isSevenBit, contentOf, run } = parts
  const raw = submitted.raw ?? (await contentOf(submitted.blob!))
  if (!raw) throw new Error(`A submitted message is missing from the blob store: ${submitted.blob}`)
  // Checked when the email was accepted.
  const stamp = { from: parseMailbox(email.from)!, messageId: email.messageId, date: email.sentAt, added, defaults }
  return run(outgoingSteps(raw, submitted.layout, { stamp, tracker, isSevenBit }))
}

/** Whether a server that does not take 8-bit content has to be given other bytes than the rest. */
export const isEightBit = ({ submitted }: Content) => submitted?.layout.isEightBit ?? false
