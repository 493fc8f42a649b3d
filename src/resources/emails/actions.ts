export { countEmails, type EmailTotals } from './metrics/totals.ts'
export { requireSender } from './prepare.ts'
export { readSchedule } from './schedule.ts'
