export { requireSender } from './prepare.ts'
export { readSchedule } from './schedule.ts'
