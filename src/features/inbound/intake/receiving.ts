import type { SmtpRefusal } from '../../../adapters/smtp-server/handler.ts'
import { domainOf } from '../../../mail/address.ts'
import type { DomainReportKind } from '../../../mail/domain-reports/read.ts'
import { readReportAddress } from '../../../mail/return-path.ts'
import { cellsOf, hostsOf } from '../../../platform/cell.ts'
import { sandboxOfDomain } from '../../../platform/sandbox-domain.ts'
import { type Config, hostName, keepsMail } from '../../../platform/settings/config.ts'
import type { Arrival, Mailbox } from './arrival.ts'
import { Intake } from './intake.ts'
import { ReceivingLimits } from './receiving-limits.ts'
import type { InboundServices } from './services.ts'

/** Whoever knows whose domain an address is in. */
export interface Receivers {
  /** The team that has the domain, and whether mail for it may come in. */
  find(domainName: string): Promise<{ readonly team: string; readonly isReceiving: boolean } | undefined>
  /** The team that has an inbox to which others forward mail under this address. */
  findForwarding(address: string): Promise<string | undefined>
  /** The team and the domain that others report about under this host name, below the domain. */
  findReported(host: string): Promise<{ readonly team: string; readonly domainId: string } | undefined>
  /** The team that gets what is nobody's, where nothing leaves. */
  findFallback(): Promise<string | undefined>
  /** Why a team takes nothing at this moment, in words of its own. */
  objection?(team: string): Promise<SmtpRefusal | null>
  /** Why mail must wait that is for a team which changes cells or lives in another one. Bounces are about an email. */
  findMove?(recipient: string, emailId: string | null): Promise<string | null>
}

/** Why mail is not taken. `no_mailbox` is for good; the others are over when the sender comes again. */
export interface Refusal {
  readonly kind: 'no_mailbox' | 'mailbox_gone' | 'too_much' | 'elsewhere'
  readonly message: string
}

/** The names of the mailboxes that reports about domains come to. */
const REPORTED: readonly DomainReportKind[] = ['dmarc', 'tls']

/** Mail from whoever has not logged in: whom it may be for, how much of it, and where it goes. */
export function createReceiving(services: InboundServices, receivers: Receivers) {
  const { config, sealer, metrics } = services
  const intake = new Intake(services)
  const limits = new ReceivingLimits(receivingLimits(config))
  const returnPathSecrets = sealer.deriveKeys('return-path')
  // Inboxes of teams that came from other cells have addresses there.
  const forwardingDomains = new Set([hostName(config), ...hostsOf(cellsOf(config))])
  const isForwarding = (recipient: string) => forwardingDomains.has(domainOf(recipient))

  /** Which reports about which domain come to this address. */
  const reportedIn = async (recipient: string) => {
    const about = REPORTED.find((kind) => recipient.toLowerCase().startsWith(`${kind}@`))
    const domain = about && (await receivers.findReported(domainOf(recipient)))
    return domain ? { ...domain, about } : null
  }

  /** Null: we have no business with mail for this address. */
  const mailboxOf = async (recipient: string): Promise<Mailbox | null> => {
    const report = readReportAddress(recipient.slice(0, recipient.lastIndexOf('@')), returnPathSecrets)
    if (report) return { kind: 'report', ...report }
    const forwardedTo = isForwarding(recipient) ? await receivers.findForwarding(recipient) : undefined
    if (forwardedTo) return { kind: 'team', team: forwardedTo }
    const domain = domainOf(recipient)
    const receiver = await receivers.find(domain)
    if (receiver?.isReceiving) return { kind: 'team', team: receiver.team }
    if (receiver) return keepsMail(config, receiver.team) ? { kind: 'team', team: receiver.team } : null
    const reported = await reportedIn(recipient)
    if (reported) return { kind: 'domain-report', ...reported }
    // Mail for a sandbox that is over is for nobody else.
    if (config.DELIVERY !== 'inbox' || sandboxOfDomain(domain.toLowerCase())) return null
    const team = await receivers.findFallback()
    return team ? { kind: 'team', team } : null
  }

  /** The sender keeps it and comes again: by then the team is here or there, or its MX records lead to the other cell. */
  const refuseMoved = async (recipient: string): Promise<Refusal | null> => {
    const report = readReportAddress(recipient.slice(0, recipient.lastIndexOf('@')), returnPathSecrets)
    const message = await receivers.findMove?.(recipient, report?.emailId ?? null)
    return message ? { kind: 'elsewhere', message } : null
  }

  const refuseTooMuch = (clientAddress: string, mailbox: Mailbox): Refusal | null => {
    const objection = limits.objection(clientAddress, mailbox)
    return objection === null ? null : { kind: 'too_much', message: objection }
  }

  return {
    async checkRecipient(recipient: string, clientAddress: string): Promise<Refusal | SmtpRefusal | null> {
      const moved = await refuseMoved(recipient)
      if (moved) return moved
      const mailbox = await mailboxOf(recipient)
      const objection = mailbox?.kind === 'team' && (await receivers.objection?.(mailbox.team))
      if (objection) return objection
      if (mailbox) return refuseTooMuch(clientAddress, mailbox)
      metrics.countMessage('refused_recipient')
      return { kind: 'no_mailbox', message: `We do not accept mail for ${domainOf(recipient)}` }
    },

    /** Gives the id of what was received: null for reports, which are not kept. */
    async take(
      arrival: Arrival,
      recipients: readonly string[],
    ): Promise<{ kind: 'taken'; id: string | null } | Refusal> {
      const { raw, clientAddress } = arrival
      for (const recipient of recipients) {
        const moved = await refuseMoved(recipient)
        if (moved) return moved
      }
      const mailboxes = await Promise.all(
        recipients.map(async (address) => ({ address, mailbox: await mailboxOf(address) })),
      )
      const known = mailboxes.flatMap(({ address, mailbox }) => (mailbox ? [{ address, mailbox }] : []))
      // A domain went away since its recipient was named: the sender comes again and hears it for each of them.
      if (known.length < recipients.length) return { kind: 'mailbox_gone', message: 'Some recipients have changed' }
      // Looked at again: since the recipients were named, other sessions may have brought all that there was room for.
      for (const { mailbox } of known) {
        const refusal = refuseTooMuch(clientAddress, mailbox)
        if (refusal) return refusal
      }
      limits.count(
        clientAddress,
        known.map(({ mailbox }) => mailbox),
        raw.length,
      )
      const ids = await intake.take(arrival, known)
      if (!ids) return { kind: 'too_much', message: 'This recipient has reached its daily limit, try again tomorrow' }
      return { kind: 'taken', id: ids[0] ?? null }
    },
  }
}

/** Where nothing leaves, nobody but the operator brings mail in. */
const receivingLimits = ({ DELIVERY, RECEIVE_PER_ADDRESS, RECEIVE_PER_TEAM }: Config) =>
  DELIVERY === 'inbox' ? { perAddress: 0, perTeam: 0 } : { perAddress: RECEIVE_PER_ADDRESS, perTeam: RECEIVE_PER_TEAM }
