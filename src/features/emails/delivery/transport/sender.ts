import type { Conversation } from '../../../../adapters/smtp-client/conversation.ts'
import type { Destination, Envelope } from '../../../../adapters/smtp-client/destination.ts'
import type { SendStep } from '../../../../adapters/smtp-client/mail.ts'
import type { MailPace } from '../../../../adapters/smtp-client/sender.ts'
import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import type { Signature } from '../message/build.ts'
import type { Fence } from './fence.ts'

/** In whose name mail goes out. */
export interface SenderIdentity extends Signature {
  /** Where bounces come back to. */
  readonly returnPathDomain: string
  readonly requireTls: boolean
}

export interface Sender {
  send(
    destination: Destination,
    envelope: Envelope,
    message: Buffer,
    limits: {
      startBefore: Date
      isLowPriority: boolean
      fence: Fence
      pace?: MailPace | undefined
      /** The message has left, and is not needed any more. */
      onSent?: () => void
      /** The answer takes long: nobody else should wait for it. */
      onSlow?: () => void
      /** See `SendLimits`. */
      onStep?: ((step: SendStep) => void) | undefined
      /** See `SendLimits`. */
      conversation?: Conversation
    },
  ): Promise<readonly (Outcome | Untried)[]>
  /** When a destination takes mail again that has asked us to wait. */
  pausedUntil(destination: string): Date | null
  /** A destination, or all of them, are to be asked again now. */
  endRests?(destination?: string): void
  close(graceMs: number): Promise<void>
}
