"""proxy.py SOCKET DELAY LIFE: stands between a client and a server that listens at SOCKET, as a bad network does.

Prints the port of 127.0.0.1 that it listens on. What is sent arrives DELAY seconds later, in both directions; a connection is cut, wherever it is, after a time
of up to twice LIFE seconds (0: never). The times come from a fixed seed. Ends with whoever started it: when its standard input does. Then it prints how many connections it
cut, and how often a client had heard something and spoke again: so often it would have waited for the network."""
import asyncio, random, sys

socket, delay, life = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
chance = random.Random(1)
cuts = turns = 0


async def pass_on(reader, writer, heard, is_client):
    loop, held = asyncio.get_running_loop(), asyncio.Queue()

    async def deliver():
        while True:
            due, data = await held.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not data:
                return
            writer.write(data)
            await writer.drain()

    async def take():
        global turns
        data = b"-"
        while data:
            data = await reader.read(65536)
            turns += is_client and heard[0]
            heard[0] = not is_client
            held.put_nowait((loop.time() + delay, data))

    await asyncio.gather(take(), deliver())


async def serve(reader, writer):
    global cuts
    writers = [writer]
    try:
        there_reader, there_writer = await asyncio.open_unix_connection(socket)
        writers.append(there_writer)
        heard = [False]
        ways = [asyncio.create_task(pass_on(reader, there_writer, heard, True)), asyncio.create_task(pass_on(there_reader, writer, heard, False))]
        done, rest = await asyncio.wait(ways, timeout=chance.uniform(0, 2 * life) if life else None, return_when=asyncio.FIRST_COMPLETED)
        cuts += not done
        for way in rest:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
    except OSError:
        pass
    for one in writers:
        one.transport.abort()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(cuts, "cut", turns, "turns", flush=True)


asyncio.run(main())
