import { onTestFinished } from 'vitest'
import type { Destination, Envelope, Host } from '../../src/adapters/smtp-client/destination.ts'
import { SmtpSender, type SmtpSenderOptions } from '../../src/adapters/smtp-client/sender.ts'
import type { Outcome, Untried } from '../../src/mail/outcome.ts'
import { fixedClock } from './clock.ts'

export const MESSAGE = Buffer.from('Subject: Hello\r\n\r\nHello,\r\n.\r\n..dots\r\nand a last line\r\n')

type Server = { readonly host: Host }

/** A sender with a clock that stands still, and a way to send with few words. Gone when the test ends. */
export function startSender(options: Partial<SmtpSenderOptions> = {}) {
  const clock = fixedClock()
  const { timeouts, ...rest } = options
  const sender = new SmtpSender({
    heloName: 'sender.test',
    clock,
    timeouts: {
      connectMs: 30_000,
      greetingMs: 30_000,
      commandMs: 30_000,
      envelopeMs: 30_000,
      finalDotMs: 30_000,
      transactionMs: 60_000,
      ...timeouts,
    },
    ...rest,
  })
  onTestFinished(() => sender.close(0))

  const to = (servers: Server | readonly Server[], more: Partial<Destination> = {}): Destination => ({
    name: 'example.com',
    hosts: [servers].flat().map(({ host }) => host),
    ...more,
  })
  /** Sends to `ada@example.com`, unless said otherwise. */
  const send = (destination: Destination, envelope: Partial<Envelope> = {}, message = MESSAGE) =>
    sender.send(
      destination,
      { from: 'sender@example.org', to: ['ada@example.com'], requireTls: false, needsUtf8: false, ...envelope },
      message,
    )
  return { sender, clock, send, to }
}

/** A port where nobody listens, as a server. Port 1 is reserved and unused. */
export const NOBODY: Server = { host: { host: 'nobody.test', address: '127.0.0.1', port: 1, secure: false } }

/** What was said, if anybody was asked. */
export const replyOf = (outcome: Outcome | Untried | undefined) => (outcome && 'reply' in outcome ? outcome.reply : '')
