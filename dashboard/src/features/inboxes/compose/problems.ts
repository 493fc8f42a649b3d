const statusOf = (error: unknown) => (error as { readonly status?: number }).status

/** Whether the service has refused with this status. */
export const isProblem = (error: unknown, status: number) => error instanceof Error && statusOf(error) === status

/** Nobody answered, or somebody who cannot at the moment: worth another try. */
export function isPassing(error: unknown): boolean {
  const status = error instanceof Error ? statusOf(error) : undefined
  return status !== undefined && ([0, 408, 429].includes(status) || status >= 500)
}
