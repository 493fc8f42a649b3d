import { ApiProblem } from './api.ts'

// What is shown of an error. The API speaks to programs, by the names of its fields; this is the one place that says it to people.

const BY_NAME: Readonly<Record<string, string>> = {
  unreachable: 'Postwren could not be reached. Check your connection and try again.',
  rate_limit_exceeded: 'Too many requests. Try again in a moment.',
  application_error: 'Something went wrong. Try again.',
  service_unavailable: 'Postwren is busy. Try again in a moment.',
  invalid_permission: 'Your role does not allow this.',
}

/** An error in a sentence for people. */
export function problemText(error: Error): string {
  if (!(error instanceof ApiProblem)) return error.message
  if (error.status === 404 && isNamed(error.message)) return error.message
  return BY_NAME[error.name] ?? inWords(error.message)
}

const isNamed = (message: string) => /^[A-Z][\w -]* not found$/.test(message)

/** Without the names of fields: “Invalid `first_name` field. It is too long.” is “It is too long.”, and `reply_to` is “reply to”. */
const inWords = (message: string) => {
  const text = message
    .replace(/^Invalid `[\w.[\]]+` field[.:] (?=.)/, '')
    .replace(/^Missing `([\w.[\]]+)` field\.?$/, '`$1` is required.')
    .replace(/`([a-z]+(?:_[a-z]+)*)`/g, (_, name: string) => name.replaceAll('_', ' '))
    .replace(/`([^`]+)`/g, '“$1”')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The field that an error is about, by its name in the API. */
export const fieldOf = (error: Error): string | undefined =>
  error instanceof ApiProblem && error.status === 422 ? /`(\w+)`/.exec(error.message)?.[1] : undefined

/** Nothing has this id: it was deleted, or the link is broken. A 404 that says more, as of a used invitation, is shown in its own words. */
export const isNotFound = (error: Error) =>
  error instanceof ApiProblem &&
  ((error.status === 404 && isNamed(error.message)) || (error.status === 422 && /valid UUID/.test(error.message)))

/** `Email not found`, where the API names what is missing. */
export const notFoundText = (error: Error) => (isNamed(error.message) ? error.message : 'Not found')

/** The service did not answer, or not about what was asked: what was read before may still be shown. */
export const isPassing = (error: Error) =>
  error instanceof ApiProblem && (error.status === 0 || error.status === 429 || error.status >= 500)

const shown = new WeakSet<Error>()

/** The text of an error that its form shows itself, so that it is not said a second time at the edge of the page. */
export function showHere(error: Error): string {
  shown.add(error)
  return problemText(error)
}

export const isShown = (error: Error) => shown.has(error)
