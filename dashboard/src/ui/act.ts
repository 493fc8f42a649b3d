import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { IdBeginning } from '../api.ts'
import { isShown, problemText } from '../problems.ts'
import { isOneOf, refetchMatching } from '../queries.ts'
import { toast } from './toast.tsx'
import { verified } from './verification.tsx'

interface Act<Input, Reply> {
  run(input: Input): Promise<Reply>
  /** What to say when it is done. */
  readonly done?: string | ((reply: Reply) => string)
  /** The endpoints whose answers have to be read again, or how their ids begin. */
  readonly refresh: readonly IdBeginning[]
}

/** Something that changes things: reads again what it changed, and says so, or says why not. */
export function useAct<Input = void, Reply = unknown>({ run, done, refresh }: Act<Input, Reply>) {
  const queries = useQueryClient()
  return useMutation<Reply, Error, Input>({
    mutationFn: (input) => verified(() => run(input)),
    async onSuccess(reply) {
      await refetchMatching(queries, ({ queryKey }) => isOneOf(queryKey, refresh))
      if (done) toast(typeof done === 'string' ? done : done(reply))
    },
    // A form or a question that is open shows it itself, as soon as it hears of it.
    onError: (error) => void setTimeout(() => isShown(error) || toast(problemText(error), { isError: true })),
  })
}
