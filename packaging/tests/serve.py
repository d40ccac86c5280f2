"""Serves a release as its host does, for tests: `serve.py FOLDER VERSION PORT_FILE`.

`FOLDER/vVERSION` holds the files. The address `…/releases/latest` leads to that version. The port
is written to PORT_FILE.
"""

import http.server
import os
import pathlib
import re
import sys

folder, version, port_file = sys.argv[1:]


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments):
        super().__init__(*arguments, directory=folder)

    def do_HEAD(self):
        if not self.redirect():
            super().do_HEAD()

    def do_GET(self):
        if not self.redirect():
            super().do_GET()

    def redirect(self):
        """Leads to the newest version, or strips what stands before the files of a version."""
        base, latest, _ = self.path.partition("/releases/latest")
        if latest:
            self.send_response(302)
            self.send_header("Location", f"{base}/releases/tag/v{version}")
            self.end_headers()
            return True
        self.path = re.sub(r"^.*/releases/(download|tag)/", "/", self.path)
        return False

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
partial = pathlib.Path(port_file + ".partial")
partial.write_text(str(server.server_port))
os.replace(partial, port_file)
server.serve_forever()
