import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from './toast.tsx'

interface Act<Input, Reply> {
  run(input: Input): Promise<Reply>
  /** What to say when it is done. */
  readonly done?: string | ((reply: Reply) => string)
  /** The first words of the keys of what has to be read again. */
  readonly refresh: readonly string[]
}

/** Something that changes things: reads again what it changed, and says so, or says why not. */
export function useAct<Input = void, Reply = unknown>({ run, done, refresh }: Act<Input, Reply>) {
  const queries = useQueryClient()
  return useMutation<Reply, Error, Input>({
    mutationFn: run,
    async onSuccess(reply) {
      await Promise.all(refresh.map((key) => queries.invalidateQueries({ queryKey: [key] })))
      if (done) toast(typeof done === 'string' ? done : done(reply))
    },
    onError: (error) => toast(error.message, { isError: true }),
  })
}
