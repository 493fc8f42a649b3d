// What other features and gateways use of this one.

export { sendEmail } from './actions.ts'
export * as attachments from './attachments.ts'
export { type PreparedAttachment, type PreparedEmail, prepare, prepareAtOnce, requireSender } from './prepare.ts'
export { findSentShown, readEmail } from './read.ts'
export { readSchedule } from './schedule.ts'
export { emailSearch } from './search.ts'
export { submitEmails } from './send.ts'
export * as sourceParts from './source-parts.ts'
export { withStored } from './stored-contents.ts'
