import { expect, test } from 'vitest'
import { ApiProblem } from './api.ts'
import { fieldOf, isNotFound, isPassing, isShown, problemText, showHere } from './problems.ts'

test.each([
  [0, 'unreachable', 'x', 'Postwren could not be reached. Check your connection and try again.'],
  [422, 'validation_error', 'Invalid `first_name` field. It must be a text.', 'It must be a text.'],
  [422, 'validation_error', 'Missing `html` or `text` field.', 'Missing html or text field.'],
  [422, 'missing_required_field', 'Missing `reply_to` field.', 'Reply to is required.'],
  [422, 'validation_error', 'It must be like `10m` or `a@example.com`.', 'It must be like “10m” or “a@example.com”.'],
  [404, 'not_found', 'Email not found', 'Email not found'],
  [500, 'application_error', 'Internal server error.', 'Something went wrong. Try again.'],
])('%i %s: “%s” is said as “%s”', (status, name, message, text) => {
  expect(problemText(new ApiProblem(status, name, message))).toBe(text)
})

test('what is not there and what has no valid id is not found', () => {
  const refused = (status: number, message: string) => isNotFound(new ApiProblem(status, 'x', message))

  expect(refused(404, 'Email not found')).toBe(true)
  expect(refused(422, 'The `id` must be a valid UUID.')).toBe(true)
  expect(refused(422, 'Invalid `name` field.')).toBe(false)
  expect(refused(404, 'This invitation was used, revoked or has expired. Ask for a new one.')).toBe(false)
})

test('a failure of the service passes, a refusal does not', () => {
  const passes = (status: number) => isPassing(new ApiProblem(status, 'x', 'x'))

  expect([0, 429, 500, 503].map(passes)).toEqual([true, true, true, true])
  expect([401, 403, 404, 422].map(passes)).toEqual([false, false, false, false])
})

test('a refusal names its field, and is said once', () => {
  const error = new ApiProblem(422, 'validation_error', 'Invalid `email` field. It is taken.')

  expect([fieldOf(error), isShown(error)]).toEqual(['email', false])
  expect(showHere(error)).toBe('It is taken.')
  expect(isShown(error)).toBe(true)
})
