// One at a time for each project, first come first served.
export function createLines() {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const turn = (last.get(key) ?? Promise.resolve()).then(work);
      const ended = turn.catch(() => undefined);
      last.set(key, ended);
      void ended.then(() => last.get(key) === ended && last.delete(key));
      return turn;
    },
  };
}
