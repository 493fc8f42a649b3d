import { ApiProblem } from '../../../api.ts'

export const isProblem = (error: unknown, status: number) => error instanceof ApiProblem && error.status === status

/** Nobody answered, or somebody who cannot at the moment: worth another try. */
export const isPassing = (error: unknown) =>
  error instanceof ApiProblem && ([0, 408, 429].includes(error.status) || error.status >= 500)
