import { Problem } from '../http/problem.ts'

export const notYet = (): never => {
  throw new Problem('not_found', 'Not built yet.')
}
