import { Problem } from './problem.ts'

/** A moment of a query, in ISO 8601. `name` is that of the parameter. */
export function readMoment(name: string, text: string): Date {
  const moment = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(moment.getTime())) return moment
  throw new Problem('invalid_parameter', `The \`${name}\` must be a date in ISO 8601.`)
}
