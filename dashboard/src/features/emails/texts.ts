import { plural } from '../../ui/plural.ts'

const itsAttachments = plural({ one: 'its attachment', other: 'its # attachments' })

/** What the pages of sent emails say. */
export const texts = {
  title: 'Sent',
  many: 'emails',
  noSubject: '(no subject)',
  /** Names an email to screen readers and in lists of failures. */
  nameOf: (subject: string, recipient: string) => `${subject} to ${recipient}`,
  columns: { to: 'To', subject: 'Subject', status: 'Status', sent: 'Sent' },
  otherRecipients: (count: string) => `+${count}`,
  filters: {
    search: 'Search emails',
    status: 'Status',
    allStatuses: 'All statuses',
    tag: { label: 'Tag', placeholder: 'name or name:value' },
  },
  bulk: {
    cancel: {
      label: 'Cancel scheduled',
      title: plural({ one: 'Cancel # email?', other: 'Cancel # emails?' }),
      note: 'Scheduled emails that are canceled are not sent.',
      done: plural({ one: '# email canceled', other: '# emails canceled' }),
    },
    delete: {
      label: 'Delete',
      title: plural({ one: 'Delete # email?', other: 'Delete # emails?' }),
      note: 'Their content and events are deleted permanently.',
      done: plural({ one: '# email deleted', other: '# emails deleted' }),
    },
  },
  approval: {
    title: 'Waiting for approval',
    expires: 'It is not sent until somebody approves it, and expires {when}.',
    review: 'Review',
  },
  actions: {
    compose: 'Send email',
    reschedule: 'Reschedule',
    cancel: 'Cancel',
    share: 'Share',
    sendAgain: 'Send again',
    delete: 'Delete',
  },
  deleteDialog: {
    title: 'Delete this email?',
    note: 'Its content, attachments and events are deleted permanently. If it has not left yet, it is not sent.',
    confirm: 'Delete email',
    done: 'Email deleted',
  },
  sendAgainDialog: {
    title: 'Send this email again?',
    note: (recipients: string) => `A new email goes to ${recipients}.`,
    noteWithAttachments: (recipients: string, attachments: number) =>
      `A new email goes to ${recipients}, with ${itsAttachments(attachments)}.`,
    andMore: (recipients: string, more: string) => `${recipients} and ${more} more`,
    confirm: 'Send again',
  },
  shareDialog: {
    title: 'Share this email',
    note: 'Anyone with this link can read the email for 48 hours without signing in.',
    copied: 'link',
  },
  rescheduleDialog: {
    title: 'Reschedule',
    when: { label: 'When', placeholder: 'in 1 hour', hint: 'Up to 30 days ahead.' },
    submit: 'Reschedule',
    done: 'Email rescheduled',
  },
  cancelDialog: {
    title: 'Cancel this email?',
    note: 'It is not sent and cannot be rescheduled.',
    confirm: 'Cancel email',
    dismiss: 'Back',
    done: 'Email canceled',
  },
  timeline: { title: 'Timeline', queued: 'Queued' },
  recipients: { title: 'Recipients', nextAttempt: 'Next attempt {time}', rule: (name: string) => `Rule ${name}` },
  trace: {
    kinds: {
      request: 'Request',
      accepted: 'Accepted',
      scheduled: 'Scheduled',
      attempt: 'Delivery attempt',
      event: 'Event',
      webhook: 'Webhook',
      held: 'Held',
      waiting: 'Waiting',
    },
    idempotencyKey: (key: string) => `Idempotency key ${key}`,
    more: 'Only the oldest events are shown.',
    route: (route: string, destination: string | null) => (destination ? `${route} to ${destination}` : route),
    server: (address: string) => `server ${address}`,
    source: (address: string) => `from ${address}`,
    notEncrypted: 'not encrypted',
    duration: (ms: number) => `${ms} ms`,
    servers: (servers: string) => `Mail servers: ${servers}`,
    dialogue: 'Dialogue',
  },
  testEmail: {
    subject: 'It works',
    heading: 'It works.',
    body: 'This email was accepted, queued and delivered by your own installation. The timeline shows each step.',
    next: 'Send the next one from your application.',
  },
  composeDialog: {
    title: 'Send email',
    from: { label: 'From', placeholder: 'Name <name@example.com>' },
    to: 'To',
    subject: 'Subject',
    html: 'HTML',
    when: {
      label: 'When',
      placeholder: 'now',
      hint: 'Example: “in 1 hour” or “tomorrow at 9am”. Leave empty to send now.',
    },
    submit: 'Send',
  },
  queued: 'Email queued',
}
