const AT_ONCE = 50;
const CHANNELS = ["events", "totals", "agents", "alerts", "topology"];

export interface ViewersOptions {
  readonly web: string;
  readonly key: string;
  readonly viewers: number;
}

/** Opens viewers of all channels, like the dashboard; resolves when each has its first message. */
export async function openViewers(
  { web, key, viewers }: ViewersOptions,
  onMessage: (text: string) => void,
  onClose: (code: number) => void,
): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  const url = `${web.replace(/^http/, "ws").replace(/\/$/, "")}/api/live`;
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
      sockets.push(socket);
      socket.onopen = () => socket.send(JSON.stringify({ subscribe: CHANNELS }));
      socket.onmessage = ({ data }) => {
        resolve();
        onMessage(String(data));
      };
      socket.onclose = ({ code }) => {
        reject(new Error(`a viewer was closed with ${code}`));
        onClose(code);
      };
    });
  for (let made = 0; made < viewers; made += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, viewers - made) }, open));
  }
  return sockets;
}
