/** A value that is made when it is asked for the first time: what a start does not need, it does not wait for. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
