import { isRefusal, type SmtpHandler } from '../../adapters/smtp-server/handler.ts'
import { findMovedMail } from '../../features/cells/reads.ts'
import { findByReturnPath, findReceiver } from '../../features/domains/index.ts'
import { isEmailOfTeams } from '../../features/emails/reads.ts'
import { Submissions, type Submitter } from '../../features/emails/smtp/submission.ts'
import { createReceiving } from '../../features/inbound/intake/receiving.ts'
import { findForwardingTeam } from '../../features/inboxes/index.ts'
import { smtpFaults } from '../../features/sandboxes/simulation/smtp-faults.ts'
import type { Services } from '../../features/services.ts'
import { findFirstTeam } from '../../features/teams/reads.ts'
import { domainOf } from '../../mail/address.ts'
import { livesIn } from '../../platform/cell.ts'
import { SharedReads } from '../../platform/concurrency/shared-reads.ts'
import { tracing } from '../../platform/observability/tracing.ts'
import { answering, refusing, replyTo } from './smtp-replies.ts'

/** What stands behind the SMTP listener: who has logged in submits mail of ours, and from everybody else mail is received. */
export function createSmtpHandler(services: Services): SmtpHandler<Submitter> {
  const { db, config, metrics } = services
  const faults = smtpFaults(db, services.scenarios, { isInbox: config.DELIVERY === 'inbox' })
  const submissions = new Submissions(services, services)
  // Asked for each recipient, and again when its message has come: mail in a crowd asks the same at the same time.
  const receivers = new SharedReads<{ team: string; isReceiving: boolean } | undefined>()
  const fallbacks = new SharedReads<string | undefined>()
  const receiving = createReceiving(services, {
    find: (domainName) => receivers.read(domainName, () => findReceiver(db, domainName)),
    findForwarding: (address) => findForwardingTeam(db, address),
    findReported: (host) => findByReturnPath(db, host),
    findFallback: () => fallbacks.read('', () => findFirstTeam(db)),
    objection: (team) => faults.refusalOf(team, 'rcpt'),
    async findMove(recipient, emailId) {
      const { teamStates } = services
      if (!teamStates.isLoaded) await teamStates.load()
      if (!teamStates.hasMoves) return null
      const domainName = domainOf(recipient)
      const moved = await findMovedMail(db, [domainName, recipient.replace(/\+[^@]*@/, '@')])
      if (moved) return `${domainName} has moved to ${livesIn(moved.cell, moved.url)}`
      const { paused } = teamStates
      if (paused.length === 0) return null
      const isMoving =
        emailId === null
          ? paused.includes(
              ((await findReceiver(db, domainName)) ?? (await findByReturnPath(db, domainName)))?.team ?? '',
            )
          : await isEmailOfTeams(db, paused, emailId)
      return isMoving ? 'Moving to another cell, try again in a minute' : null
    },
  })

  return {
    async authenticate({ password }, { address }) {
      const answer = await refusing(() => submissions.logIn(password, address))
      if (isRefusal(answer)) return answer
      return (await faults.refusalOf(answer.actor.team, 'auth')) ?? answer
    },
    async checkSender(_from, { user }) {
      const team = await submissions.teamOf(user)
      return team ? faults.refusalOf(team, 'mail') : null
    },
    renew: (user) => refusing(() => submissions.renew(user)),
    async checkRecipient(recipient, { user, peer }) {
      if (user) return faults.refusalOf(user.actor.team, 'rcpt')
      const refusal = await receiving.checkRecipient(recipient, peer.address)
      return refusal && (isRefusal(refusal) ? refusal : replyTo(refusal))
    },
    async take({ user, raw, from, recipients, peer }) {
      const span = tracing?.begin(user ? 'smtp.submit' : 'smtp.receive', {
        kind: 'server',
        attributes: {
          'postwren.team.id': user?.actor.team,
          'postwren.recipient.count': recipients.length,
          'postwren.message.bytes': raw.length,
        },
      })
      const takeIn = async () => {
        if (user) return submissions.submit(user, { raw, recipients })
        const arrival = { raw, from, helo: peer.helo, clientAddress: peer.address }
        const received = await receiving.take(arrival, recipients)
        return received.kind === 'taken' ? (received.id ?? 'thank you') : replyTo(received)
      }
      const answer = await answering(span ? () => tracing!.run(span, takeIn) : takeIn)
      span?.set({ 'postwren.outcome': answer.kind })
      span?.end()
      metrics.countMessage(answer.kind === 'refused' ? 'refused' : user ? 'submitted' : 'received')
      return answer
    },
  }
}
